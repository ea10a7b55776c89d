// One profile file → the server, through the same public ingest URL that agents use: samples in parts, then the execution's summary.
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { basename } from "node:path";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { Execution } from "#core/trace/execution.ts";
import { encodeExecution } from "#core/upload/encode-execution.ts";
import type { SampleContext } from "#core/upload/samples-part.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { printable } from "#core/printable.ts";
import { bytesText } from "#core/shape/number-text.ts";
import type { Api } from "./api.ts";
import { type BesideOptions, readBeside } from "./beside-trace.ts";
import { CliError } from "./cli-error.ts";
import { ProgressLine } from "./progress-line.ts";
import { readProfile, refusedCode } from "./read-profile.ts";
import { sendModel } from "./send-model.ts";
import { untilStored } from "./until-stored.ts";
import { checkFile, fileSha256 } from "./trace-file.ts";

export type ImportOptions = {
  readonly name?: string | undefined;
  readonly again?: boolean | undefined;
  readonly context?: Partial<SampleContext> | undefined;
  readonly sampleType?: string | undefined; // of a profile with several
  readonly step?: number | undefined; // only what belongs to this step
  readonly captures?: readonly string[] | undefined; // traces of the engine's start-up, for replayed graphs
  readonly beside?: BesideOptions | undefined; // what other tools wrote about the same run
  readonly agentVersion: string;
  readonly progress: (line: string) => void;
};

export type Imported = { readonly executionId: string; readonly known: ExecutionSummary } | { readonly executionId: string; readonly known: null; readonly execution: Execution; readonly parts: number };


export async function importFile(api: Api, path: string, options: ImportOptions): Promise<Imported> {
  const bytes = checkFile(path);
  const { tenant } = await api.call("me");
  const fileHash = await fileSha256(path);
  const beside = readBeside(options.beside ?? {});
  // The options that change what is stored are inside the id; --again makes it a new execution on purpose.
  const salt = JSON.stringify({ context: options.context ?? {}, again: options.again ? Date.now() : 0, ...(await readingSalt(options)), ...(beside.hash === "" ? {} : { beside: beside.hash }) });
  const executionId = createHash("sha256").update(`${tenant.id}\0${fileHash}\0${salt}`).digest("hex");
  const known = await existing(api, executionId);
  if (known?.complete) return { executionId, known };

  const read = await readExecution(path, bytes, options);
  const execution = beside.forward === null ? read : { ...read, forward: beside.forward };
  const head = { agentVersion: options.agentVersion, executionId, name: options.name ?? basename(path), importedAtS: Math.floor(Date.now() / 1000) };
  const encoded = encodeExecution(execution, head, { hostName: hostname(), ...options.context } as SampleContext, beside.details);
  if (!encoded.ok) throw new CliError(`${path} cannot be sent: ${encoded.error.detail}.`, encoded.error.code);
  const { parts } = encoded.value;
  for (const [i, part] of parts.entries()) {
    options.progress(`sending part ${i + 1} of ${parts.length}`);
    await api.upload("samples", part);
  }
  await api.upload("executions", encoded.value.execution);
  await sendRecordedModel(api, path, execution, options, head.importedAtS);
  options.progress("waiting until it is stored");
  await untilStored("execution", async () => (await existing(api, executionId))?.complete === true);
  return { executionId, known: null, execution, parts: parts.length };
}

async function readExecution(path: string, bytes: number, options: ImportOptions): Promise<Execution> {
  options.progress(`reading ${printable(basename(path))} (${bytesText(bytes)})`);
  const line = new ProgressLine(basename(path), bytes);
  try {
    const read = await readProfile(path, { sampleType: options.sampleType, step: options.step, captures: options.captures, onRead: (so) => line.read(so) });
    if ("execution" in read) return read.execution;
  } finally {
    line.end();
  }
  throw new CliError(`${path} is refused: Nsight Compute's figures describe kernels of an execution and are not stored; \`lamella import --no-upload FILE\` prints them.`, refusedCode);
}

async function readingSalt({ sampleType, step, captures = [] }: ImportOptions): Promise<object> {
  const hashes = await Promise.all(captures.map(fileSha256));
  return { ...(sampleType === undefined ? {} : { sampleType }), ...(step === undefined ? {} : { step }), ...(hashes.length > 0 ? { captures: hashes } : {}) };
}

// A recording of ours carries the model's shape: it becomes a row of the Models page, seen when and where the recording was imported.
async function sendRecordedModel(api: Api, path: string, execution: Execution, options: ImportOptions, importedAtS: number): Promise<void> {
  if (execution.recordedShape === null) return;
  let shape;
  try {
    shape = fromJson(ShapeUploadSchema, execution.recordedShape as JsonValue, { ignoreUnknownFields: true });
  } catch (error) {
    throw new CliError(`The recording's lamella_shape is not a shape: ${error instanceof Error ? error.message : String(error)}.`, "trace_unreadable");
  }
  const { agentVersion, context } = options;
  await sendModel(api, shape, { path, nameOrPath: execution.modelName, agentVersion, context, seenAtS: importedAtS });
}

async function existing(api: Api, id: string): Promise<ExecutionSummary | null> {
  try {
    return await api.call("execution", { params: { id } });
  } catch (error) {
    if (error instanceof CliError && error.code === "not_found") return null;
    throw error;
  }
}
