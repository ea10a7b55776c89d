// import: profiles, benchmark results and model trees into the server, or with --no-upload only read and reported. Each file by itself: a refused one loses nothing of the others.
import type { Command } from "commander";
import { printable } from "#core/printable.ts";
import { readBeside } from "../beside-trace.ts";
import { CliError } from "../cli-error.ts";
import { type FileKind, fileKind } from "../file-kind.ts";
import { apiOf, collect, type Globals, outputOf } from "../globals.ts";
import { importFile } from "../import.ts";
import { importJson, importText, kernelsText, reportJson, reportText } from "../import-views.ts";
import { importModel, readModel } from "../import-model-tree.ts";
import { importWorkload, readWorkloads } from "../import-workload.ts";
import { readModelJson, readModelText } from "../model-tree-views.ts";
import { print } from "../output.ts";
import { ProgressLine } from "../progress-line.ts";
import { readProfile, refusedCode } from "../read-profile.ts";
import { checkFile } from "../trace-file.ts";
import { agentVersion } from "../version.ts";
import { importedWorkloadsText, readWorkloadsText } from "../workload-views.ts";

type Options = {
  name?: string; tag?: string[]; jobTag?: string; host?: string; again?: boolean;
  sampleType?: string; step?: number; capture?: string[]; ncu?: string[]; inductor?: string[]; forward?: string; upload: boolean; prometheus?: string[]; modelConfig?: string;
};
type Outcome = { json: object; text: string };

const exitRefused = 3;
const kindText: Record<FileKind, string> = { "profile": "a profile", "benchmark": "a benchmark's result", "model-tree": "a model's structure" };
// Options that only some kinds of files take.
const takenBy = {
  again: ["profile", "benchmark"], // of a model there is one, however often it is sent
  tag: ["profile", "model-tree"], jobTag: ["profile", "model-tree"], host: ["profile", "model-tree"], sampleType: ["profile"], step: ["profile"], capture: ["profile"], ncu: ["profile"],
  inductor: ["profile"], forward: ["profile"], prometheus: ["benchmark"], modelConfig: ["benchmark"],
} as const satisfies Partial<Record<keyof Options, FileKind[]>>;

export function importCommand(program: Command, globals: () => Globals): void {
  program
    .command("import")
    .description("Import profiles: PyTorch traces, rocprofv3, Nsight Systems, pprof, OTLP, folded stacks, speedscope (docs/importing.md), results of serving benchmarks (docs/workloads.md), and a model's structure (model_tree.json, docs/models.md); the same file again is answered, not stored twice")
    .argument("<files...>", "profile files, also .gz")
    .option("--name <name>", "shown name; default: the file's name, of a model the name in the file")
    .option("--tag <key:value>", "user tag, repeatable", collect)
    .option("--job-tag <tag>", "job tag, e.g. the branch")
    .option("--host <name>", "host the profile was recorded on; default: this one")
    .option("--sample-type <name>", "of a profile with several, e.g. cpu; default: the file's own, else the last that is time")
    .option("--step <number>", "only what belongs to this step of a trace", stepNumber)
    .option("--capture <file>", "trace of the engine's start-up, whose captured graphs the imported traces replay; repeatable", collect)
    .option("--ncu <file>", "Nsight Compute's CSV of the same run: memory and compute throughput and the bottleneck of its kernels; repeatable", collect)
    .option("--inductor <folder>", "TORCH_COMPILE_DEBUG's folder of the same run: which operators were fused into which kernel; repeatable", collect)
    .option("--forward <file>", "forward analysis of the same model, by python -m lamella.walk --with-forward")
    .option("--prometheus <file>", "of a benchmark: the engine's /metrics after the run; twice: before and after it", collect)
    .option("--model-config <file>", "of a benchmark: the model's config.json, for its number of layers")
    .option("--no-upload", "read and report only; needs no server")
    .option("--again", "store it as a new execution even if it is there already")
    .addHelpText("after", "\nExit code: 0 all imported, 3 at least one refused (each with its reason), 1 anything else.\nExamples:\n  lamella import trace.json.gz --tag env:lab\n  lamella import --no-upload profile.pb.gz stacks.folded\n  lamella import model_tree.json && lamella models")
    .action(async (files: string[], options: Options) => {
      const output = outputOf(globals());
      const doors = doorsOf(globals(), options);
      const results: object[] = [];
      for (const file of files) {
        try {
          const kind = await fileKind(file);
          const { json, text } = await doors[kind](file);
          const unused = unusedBy(kind, options);
          results.push({ file, ...json, ...(unused.length > 0 ? { unused } : {}) });
          if (output.json) continue;
          process.stdout.write(`${text}\n`);
          if (unused.length > 0) process.stderr.write(`lamella: ${printable(file)} is ${kindText[kind]}: ${unused.join(", ")} changed nothing of it\n`);
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          process.exitCode = error.code === refusedCode ? (process.exitCode ?? exitRefused) : 1;
          results.push({ file, error: { code: error.code, message: error.message } });
          if (!output.json) process.stderr.write(`lamella: ${error.shown}\n`);
          if (error.code === "server_unreachable") break; // the others would wait in vain as well
        }
      }
      if (output.json) print(output, results, () => "");
    });
}

function stepNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new CliError(`--step is "${text}"; write a step's number, 1 or more.`, "parameter_invalid");
  return Number(text);
}

// As they are written on the command line.
function unusedBy(kind: FileKind, options: Options): string[] {
  const names = Object.keys(takenBy) as (keyof typeof takenBy)[];
  return names.filter((name) => options[name] !== undefined && !(takenBy[name] as readonly FileKind[]).includes(kind)).map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
}

type Door = (file: string) => Promise<Outcome>;

function doorsOf(globals: Globals, options: Options): Record<FileKind, Door> {
  return {
    "profile": options.upload ? uploading(globals, options) : (file) => reading(file, options),
    "benchmark": (file) => benchmark(globals, file, options),
    "model-tree": (file) => modelTree(globals, file, options),
  };
}

function contextOf({ tag = [], jobTag, host }: Options) {
  return { ...(tag.length ? { userTags: tag } : {}), ...(jobTag ? { jobTag } : {}), ...(host ? { hostName: host } : {}) };
}

function uploading(globals: Globals, options: Options): Door {
  const { name, again, sampleType, step, capture, ncu, inductor, forward } = options;
  const api = apiOf(globals);
  const context = contextOf(options);
  const progress = progressOf(globals);
  return async (file) => {
    const imported = await importFile(api, file, { name, again, context, sampleType, step, captures: capture, beside: { ncu, inductor, forward }, agentVersion, progress });
    return { json: importJson(imported), text: importText(file, imported) };
  };
}

async function reading(file: string, { sampleType, step, capture, ncu, inductor, forward }: Options): Promise<Outcome> {
  readBeside({ ncu, inductor, forward }); // refused here as an import would
  const line = new ProgressLine(file, checkFile(file));
  const read = await readProfile(file, { sampleType, step, captures: capture, onRead: (bytes) => line.read(bytes) }).finally(() => line.end());
  if ("kernels" in read) return { json: { uploaded: false, kernels: read.kernels }, text: kernelsText(file, read.kernels) };
  return { json: { uploaded: false, ...reportJson(read.execution) }, text: reportText(file, read.execution) };
}

async function benchmark(globals: Globals, file: string, { name, again, prometheus, modelConfig, upload }: Options): Promise<Outcome> {
  if (!upload) {
    const reports = await readWorkloads(file, { name, prometheus, modelConfig });
    return { json: { uploaded: false, workloads: reports }, text: readWorkloadsText(file, reports) };
  }
  const imported = await importWorkload(apiOf(globals), file, { name, again, prometheus, modelConfig, agentVersion, progress: progressOf(globals) });
  return { json: { workloads: imported.map(({ report, ...one }) => ({ ...one, ...report })) }, text: importedWorkloadsText(file, imported) };
}

async function modelTree(globals: Globals, file: string, options: Options): Promise<Outcome> {
  const { name, upload } = options;
  if (!upload) {
    const read = await readModel(file, { name, agentVersion });
    return { json: { uploaded: false, ...readModelJson(read) }, text: readModelText(file, read) };
  }
  const { read, shown } = await importModel(apiOf(globals), file, { name, agentVersion, context: contextOf(options), progress: progressOf(globals) });
  return { json: readModelJson(read), text: readModelText(file, read, shown) };
}

function progressOf(globals: Globals): (line: string) => void {
  return (line) => void (globals.json === true || process.stderr.write(`${line} …\n`));
}
