// A trace file → an Execution: read, nest, place modules, link kernels (or, without GPU events, sum operators), and say what had to be repaired or guessed.
import { err, ok, type Result } from "#core/result.ts";
import { Attribution } from "./link/attribution.ts";
import { BackwardLinks } from "./link/backward-links.ts";
import { CallStacks } from "./link/call-stacks.ts";
import { capturedGraphs, type CapturedGraph } from "./link/captured-graphs.ts";
import { GraphReplays } from "./link/graph-replay.ts";
import { traceNotes } from "./trace-notes.ts";
import type { Execution, ExecutionGap, ModuleFrameName } from "./execution.ts";
import { gapReasons } from "./execution.ts";
import { FrameTable } from "./frame-table.ts";
import type { JsonValue } from "./read/json-value.ts";
import { linkKernels } from "./link/link-kernels.ts";
import { ModulePlaces } from "./link/module-places.ts";
import { busyTime } from "./link/busy-time.ts";
import { moduleOperations, Operations } from "./link/operations.ts";
import { moduleTree } from "./link/module-tree.ts";
import { ModuleTimes } from "./link/module-times.ts";
import { pathAnnotations } from "./link/path-annotations.ts";
import { readModuleMap, type ModuleMap } from "./link/module-map.ts";
import { nest } from "./link/nest.ts";
import { operatorTime } from "./link/operator-time.ts";
import { TraceReader, type NotATrace, type TraceFile } from "./read/read-json.ts";
import type { SampleSum } from "./sample-sum.ts";
import { Steps } from "./link/steps.ts";
import { gpuNamesOf, recordedAtNsOf, textOf } from "./link/trace-metadata.ts";
import { TraceTables } from "./link/trace-tables.ts";

export type ImportOptions = {
  frameName: ModuleFrameName; // used for modules whose path the file gives
  captures?: readonly CapturedGraph[] | undefined; // graphs captured in other files, by importCapture
};

// `chunks`: the file's bytes in order, gzip already undone. A source that breaks off early simply ends: what it gave is used and marked truncated.
export async function importTrace(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: ImportOptions): Promise<Result<Execution, NotATrace>> {
  const trace = new TraceImport(options);
  for await (const chunk of chunks) trace.push(chunk);
  return trace.finish();
}

// A trace recorded while the engine captured its graphs → those graphs, for `captures` of the run that replays them.
export async function importCapture(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: ImportOptions): Promise<Result<CapturedGraph[], NotATrace>> {
  const trace = new TraceImport(options);
  for await (const chunk of chunks) trace.push(chunk);
  return trace.finishCapture();
}

export class TraceImport {
  private readonly options: ImportOptions;
  private readonly reader: TraceReader;
  private readonly tables: TraceTables;

  constructor(options: ImportOptions) {
    this.options = options;
    this.reader = new TraceReader((event) => this.tables.add(event));
    this.tables = new TraceTables(this.reader.texts);
  }

  push(chunk: Uint8Array): void {
    this.reader.push(chunk);
  }

  finish(): Result<Execution, NotATrace> {
    const file = this.reader.finish();
    if ("reason" in file) return err(file);
    const refusal = whyNoTrace(file, this.tables);
    return refusal === undefined ? ok(this.link(file)) : err({ reason: refusal, at: 0 });
  }

  // The file as a capture trace: the graphs it shows being captured.
  finishCapture(): Result<CapturedGraph[], NotATrace> {
    const file = this.reader.finish();
    if ("reason" in file) return err(file);
    const frames = new FrameTable();
    const { nesting, stacks, steps } = this.placed(frames, readModuleMap(file.metadata["lamella_module_map"]), textOf(file.metadata["lamella_model_name"]));
    const graphs = capturedGraphs(this.tables, nesting, stacks, steps, frames.frames, this.reader.texts);
    return graphs.length > 0 ? ok(graphs) : err({ reason: "no graph is captured in it: no begin and end of a stream's capture with launches between; record the engine's start-up", at: 0 });
  }

  private placed(frames: FrameTable, map: ModuleMap, modelName: string) {
    const { tables } = this;
    const { texts } = this.reader;
    const nesting = nest(tables.calls, tables.threads.length);
    const annotated = pathAnnotations(tables, nesting, texts);
    const naming = { map: new Map([...annotated, ...map.modules]), frameName: this.options.frameName, modelName };
    const places = new ModulePlaces(tables, nesting, texts, frames, naming);
    const backward = new BackwardLinks(tables, nesting, texts);
    const attribution = new Attribution(places.enclosing, backward, nesting);
    const stacks = new CallStacks(tables.calls, nesting, places, backward, attribution, frames, texts);
    const steps = new Steps(tables.steps, tables.calls, tables.threads, places, attribution);
    return { nesting, backward, places, attribution, stacks, steps };
  }

  private link({ metadata, repairs }: TraceFile): Execution {
    const { tables } = this;
    const { texts } = this.reader;
    const modelName = textOf(metadata["lamella_model_name"]);
    const map = readModuleMap(metadata["lamella_module_map"]);
    const frames = new FrameTable();
    const { nesting, backward, places, attribution, stacks, steps } = this.placed(frames, map, modelName);
    const onGpu = tables.kernels.length > 0;
    const times = new ModuleTimes(tables.calls, nesting, places, attribution);
    const replays = new GraphReplays([...this.options.captures ?? [], ...capturedGraphs(tables, nesting, stacks, steps, frames.frames, texts)]);
    const used = new Operations(tables, texts, stacks);
    const links = onGpu ? linkKernels({ tables, texts, stacks, frames, attribution, backward, steps, replays, times, operations: used, places }) : undefined;
    const operators = onGpu ? undefined : operatorTime(tables.calls, nesting, stacks, attribution, steps);
    const sum = (links ?? operators)!.sum;
    const { list, cut } = numberStacks(sum, stacks);
    const gpuNames = gpuNamesOf(metadata, tables.devices);
    const fallback = onGpu ? "GPU (the file does not name it)" : "CPU (the file does not name it)";
    return {
      profileType: onGpu ? "cuda" : "cpu_op",
      device: (onGpu ? gpuNames.join(", ") : "") || textOf(metadata["lamella_device"]) || fallback,
      gpuNames: onGpu ? gpuNames : [],
      recordedAtNs: recordedAtNsOf(metadata, tables),
      durationNs: Math.max(0, tables.lastNs - tables.firstNs),
      events: tables.counts.events,
      pathSource: places.pathSource,
      modelName,
      modelKey: /^[0-9a-f]{32}$/.test(textOf(metadata["lamella_model_key"])) ? textOf(metadata["lamella_model_key"]) : "",
      frames: frames.frames,
      stacks: list,
      samples: sum.samples,
      totals: sum.totals,
      gaps: gapsOf(sum),
      modules: moduleTree(places, times),
      operations: moduleOperations(tables.calls, nesting, places, attribution, texts),
      kernelUses: used.kernelUses(),
      busyNs: busyTime(tables.kernels, () => 0).get(0) ?? 0,
      steps: steps.finish(tables.kernels, tables.firstNs),
      found: { ...tables.found, withStack: switchOf(metadata["with_stack"]) },
      notes: traceNotes({ metadata, repairs, tables, nesting, backward, places, map, steps, links, operators, stacksCut: cut, namesShortened: frames.shortened }),
      recordedShape: metadata["lamella_shape"] ?? null,
    };
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
  if (tables.kernels.length > 0 || tables.found.operators > 0) return undefined;
  if (tables.counts.events > 0) return "the file has trace events, but no GPU kernel and no operator among them: there is no time to attribute";
  const isExecutionTrace = metadata["nodes"] !== undefined || (metadata["schema"] !== undefined && !hasEventList);
  if (isExecutionTrace) return 'a PyTorch execution trace ("nodes"), which has no times; import the profiler trace (traceEvents) instead';
  return hasEventList ? "no trace events: the list is empty or holds something else" : 'no "traceEvents" in the file: it is JSON, but no Chrome trace';
}

function switchOf(value: JsonValue | undefined): boolean | undefined {
  return value === undefined ? undefined : value === 1 || value === true || value === "1";
}
