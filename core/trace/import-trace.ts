// A trace file → an Execution: read, nest, place modules, link kernels (or, without GPU events, sum operators), and say what had to be repaired or guessed.
import { err, ok, type Result } from "#core/result.ts";
import type { Execution, ExecutionGap, ExecutionStep, ModuleFrameName } from "./execution.ts";
import { gapReasons } from "./execution.ts";
import type { CallStacks } from "./link/call-stacks.ts";
import type { CapturedGraph } from "./link/captured-graphs.ts";
import type { Foreknowledge } from "./link/foreknowledge.ts";
import { Linker } from "./link/linker.ts";
import { readModuleMap, type ModuleMap } from "./link/module-map.ts";
import { QuietCuts, type Cut } from "./link/quiet-cuts.ts";
import { deviceNamesOf, gpuNamesOf, rankOf, recordedAtNsOf, requestOf, textOf } from "./link/trace-metadata.ts";
import { TraceTables, type FileFacts } from "./link/trace-tables.ts";
import { inOwnOrder } from "./own-order.ts";
import type { JsonValue } from "./read/json-value.ts";
import type { Refusal } from "./refusal.ts";
import { TraceReader, type TraceFile, type TraceMetadata } from "./read/read-json.ts";
import { limits } from "#schema/limits.ts";
import type { SampleSum } from "./sample-sum.ts";
import { traceNotes } from "./trace-notes.ts";

export type ImportOptions = {
  frameName: ModuleFrameName; // used for modules whose path the file gives
  step?: number | undefined; // only what belongs to this step
  captures?: readonly CapturedGraph[] | undefined; // graphs captured in other files, by importCapture
};

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

// `chunks`: the file's bytes in order, gzip already undone. A source that breaks off early simply ends: what it gave is used and marked truncated.
// Memory grows with the file, by some 60 bytes a call on the host.
export async function importTrace(chunks: Chunks, options: ImportOptions): Promise<Result<Execution, Refusal>> {
  const trace = new TraceImport(options);
  for await (const chunk of chunks) trace.push(chunk);
  return trace.finish();
}

// The same for a file that can be read again: where its events let it be cut, memory does not grow with the file. `open` gives its bytes from the start. It is
// read twice; a third time in the rare case that what stands late in it tells how its first part should have been linked.
export async function importLargeTrace(open: () => Chunks, options: ImportOptions, stretchCallsMin: number = limits.traceStretchEventsMin): Promise<Result<Execution, Refusal>> {
  const survey = await surveyTrace(open(), stretchCallsMin);
  let trace = new TraceImport(options, survey);
  for await (const chunk of open()) trace.push(chunk);
  const result = trace.finish();
  const { learned } = trace;
  if (learned === undefined) return result;
  trace = new TraceImport(options, survey, learned);
  for await (const chunk of open()) trace.push(chunk);
  return trace.finish();
}

// A trace recorded while the engine captured its graphs → those graphs, for `captures` of the run that replays them.
export async function importCapture(chunks: Chunks, options: ImportOptions): Promise<Result<CapturedGraph[], Refusal>> {
  const trace = new TraceImport(options);
  for await (const chunk of chunks) trace.push(chunk);
  return trace.finishCapture();
}

// What a first reading of the file tells the second.
type Survey = { cuts: readonly Cut[]; metadata: TraceMetadata; onGpu: boolean; facts: FileFacts };

async function surveyTrace(chunks: Chunks, stretchCallsMin: number): Promise<Survey | undefined> {
  let cuts!: QuietCuts;
  let tables!: TraceTables;
  const reader = new TraceReader((event) => {
    cuts.add(event);
    tables.add(event);
    if (tables.rows > limits.traceSurveyRowsMax) tables.forget();
  });
  cuts = new QuietCuts(reader.texts, stretchCallsMin);
  tables = new TraceTables(reader.texts);
  for await (const chunk of chunks) reader.push(chunk);
  const file = reader.finish();
  return "reason" in file ? undefined : { cuts: cuts.cuts(), metadata: file.metadata, onGpu: tables.counts.kernels > 0, facts: tables.facts() };
}

export class TraceImport {
  private readonly options: ImportOptions;
  private readonly reader: TraceReader;
  private readonly tables: TraceTables;
  private readonly survey: Survey | undefined;
  private readonly known: Foreknowledge | undefined;
  private linker: Linker | undefined; // from the first cut on
  private nextCut = 0;

  // `known`: what a reading of the file before has learned.
  constructor(options: ImportOptions, survey?: Survey | undefined, known?: Foreknowledge | undefined) {
    this.options = options;
    this.survey = survey;
    this.known = known;
    this.reader = new TraceReader((event) => {
      const cut = survey?.cuts[this.nextCut];
      if (this.tables.counts.events === cut?.event) {
        this.nextCut++;
        this.linker ??= this.newLinker(survey!.metadata, readModuleMap(survey!.metadata["lamella_module_map"]), survey!.onGpu);
        this.linker.linkStretch(this.tables.nsOf(cut.kernelsFrom));
      }
      this.tables.add(event);
    });
    this.tables = new TraceTables(this.reader.texts, survey?.facts.originMicros);
  }

  push(chunk: Uint8Array): void {
    this.reader.push(chunk);
  }

  finish(): Result<Execution, Refusal> {
    const file = this.reader.finish();
    if ("reason" in file) return err(file);
    const refusal = whyNoTrace(file, this.tables);
    if (refusal !== undefined) return err({ reason: refusal, at: 0 });
    const execution = this.link(file);
    const { step } = this.options;
    return step === undefined || execution.steps.length > 0 ? ok(execution) : err({ reason: noSuchStep(step, this.linker!.steps.finish(0)), at: 0, is: "trace" });
  }

  // Once finished: what the next reading must know, where this one would have needed it; undefined = the execution is right.
  get learned(): Foreknowledge | undefined {
    const known = this.linker?.known;
    return known?.outdated === true ? known : undefined;
  }

  // The file as a capture trace: the graphs it shows being captured.
  finishCapture(): Result<CapturedGraph[], Refusal> {
    const file = this.reader.finish();
    if ("reason" in file) return err(file);
    const linker = this.newLinker(file.metadata, readModuleMap(file.metadata["lamella_module_map"]), this.tables.counts.kernels > 0);
    linker.linkStretch();
    const graphs = linker.replays.graphs;
    return graphs.length > 0 ? ok([...graphs]) : err({ reason: "no graph is captured in it: no begin and end of a stream's capture with launches between; record the engine's start-up", at: 0 });
  }

  private newLinker(metadata: TraceMetadata, map: ModuleMap, onGpu: boolean): Linker {
    const { frameName, step = 0, captures = [] } = this.options;
    const facts = this.survey?.facts ?? this.tables.facts();
    return new Linker(this.tables, this.reader.texts, { frameName, modelName: textOf(metadata["lamella_model_name"]), map: map.modules, captures, onGpu, onlyStep: step, facts, known: this.known });
  }

  private link({ metadata, repairs }: TraceFile): Execution {
    const { tables } = this;
    const map = readModuleMap(metadata["lamella_module_map"]);
    const onGpu = tables.counts.kernels > 0;
    const linker = (this.linker ??= this.newLinker(metadata, map, onGpu));
    linker.linkStretch();
    const { sum, frames, stacks, places } = linker;
    const { list, cut } = numberStacks(sum, stacks);
    const deviceNames = deviceNamesOf(metadata);
    const devices = tables.sums.devices(deviceNames);
    const gpuNames = gpuNamesOf(deviceNames, devices.map(({ device }) => device));
    const fallback = onGpu ? "GPU (the file does not name it)" : "CPU (the file does not name it)";
    return inOwnOrder({
      profileType: onGpu ? "cuda" : "cpu_op",
      device: (onGpu ? gpuNames.join(", ") : "") || textOf(metadata["lamella_device"]) || fallback,
      gpuNames: onGpu ? gpuNames : [],
      recordedAtNs: recordedAtNsOf(metadata, tables),
      durationNs: Math.max(0, tables.lastNs - tables.firstNs),
      events: tables.counts.events,
      pathSource: places.pathSource,
      modelName: textOf(metadata["lamella_model_name"]),
      modelKey: /^[0-9a-f]{32}$/.test(textOf(metadata["lamella_model_key"])) ? textOf(metadata["lamella_model_key"]) : "",
      frames: frames.frames,
      stacks: list,
      samples: sum.samples,
      totals: sum.totals,
      gaps: gapsOf(sum),
      modules: linker.modules(),
      operations: linker.operations.list(linker.counts.replayed === 0),
      kernelUses: linker.operations.kernelUses(linker.counts.replayed === 0),
      devices,
      copies: tables.sums.copies(),
      ...rankOf(metadata),
      request: requestOf(metadata),
      busyNs: devices.reduce((total, { busyNs }) => total + busyNs, 0),
      steps: linker.steps.finish(tables.firstNs).filter(({ number }) => linker.takes(number)),
      found: { ...tables.found, withStack: switchOf(metadata["with_stack"]) },
      notes: traceNotes({ metadata, repairs, tables, linker, map, onlyStep: this.options.step, stacksCut: cut }),
      forward: typeof metadata["lamella_forward"] === "object" ? metadata["lamella_forward"] : null,
      recordedShape: metadata["lamella_shape"] ?? null,
    });
  }
}

// Sample stacks are node ids of the stack tree; here they become rows of a list.
function numberStacks(sum: SampleSum, stacks: CallStacks): { list: Uint32Array[]; cut: number } {
  const rowOf = new Map<number, number>();
  const list: Uint32Array[] = [];
  let cut = 0;
  for (const sample of sum.samples) {
    let row = rowOf.get(sample.stack);
    if (row === undefined) {
      rowOf.set(sample.stack, (row = list.length));
      const built = stacks.tree.frames(sample.stack);
      list.push(built.frames);
      if (built.cut) cut++;
    }
    sample.stack = row;
  }
  return { list, cut };
}

function gapsOf(sum: SampleSum): ExecutionGap[] {
  return gapReasons.flatMap((reason) => {
    const gap = sum.gaps.get(reason);
    return gap === undefined ? [] : [{ reason, ...gap }];
  });
}

function whyNoTrace({ metadata, hasEventList }: TraceFile, tables: TraceTables): string | undefined {
  const format = metadata["lamella_format"];
  if (typeof format === "number" && format > 1) return `recorded with lamella_format ${format}; this version reads format 1: update lamella`;
  if (tables.counts.kernels > 0 || tables.found.operators > 0) return undefined;
  if (tables.counts.events > 0) return "the file has trace events, but no GPU kernel and no operator among them: there is no time to attribute";
  const isExecutionTrace = metadata["nodes"] !== undefined || (metadata["schema"] !== undefined && !hasEventList);
  if (isExecutionTrace) return 'a PyTorch execution trace ("nodes"), which has no times; import the profiler trace (traceEvents) instead';
  return hasEventList ? "no trace events: the list is empty or holds something else (an execution_details.json lists captures: give the traces it names with --capture)" : 'no "traceEvents" in the file: it is JSON, but no Chrome trace';
}

function noSuchStep(step: number, steps: readonly ExecutionStep[]): string {
  const [first, last] = [steps[0]?.number, steps.at(-1)?.number];
  return first === undefined ? `step ${step} is asked for, and the file marks no steps and calls no module` : `step ${step} is not in the file; it has ${first === last ? `step ${first} only` : `steps ${first} to ${last}`}`;
}

function switchOf(value: JsonValue | undefined): boolean | undefined {
  return value === undefined ? undefined : value === 1 || value === true || value === "1";
}
