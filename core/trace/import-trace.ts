// A trace file → an Execution: read, nest, place modules, link kernels (or, without GPU events, sum operators), and say what had to be repaired or guessed.
import { err, ok, type Result } from "#core/result.ts";
import { CallStacks } from "./link/call-stacks.ts";
import { traceNotes } from "./trace-notes.ts";
import type { Execution, ExecutionGap, ModuleFrameName } from "./execution.ts";
import { gapReasons } from "./execution.ts";
import { FrameTable } from "./frame-table.ts";
import type { JsonValue } from "./read/json-value.ts";
import { linkKernels } from "./link/link-kernels.ts";
import { ModulePlaces } from "./link/module-places.ts";
import { readModuleMap } from "./link/module-map.ts";
import { nest } from "./link/nest.ts";
import { operatorTime } from "./link/operator-time.ts";
import { TraceReader, type NotATrace, type TraceFile } from "./read/read-json.ts";
import type { SampleSum } from "./sample-sum.ts";
import { Steps } from "./link/steps.ts";
import { gpuNamesOf, recordedAtNsOf, textOf } from "./link/trace-metadata.ts";
import { TraceTables } from "./link/trace-tables.ts";

export type ImportOptions = {
  frameName: ModuleFrameName; // used for modules whose path the file gives
};

// `chunks`: the file's bytes in order, gzip already undone. A source that breaks off early simply ends: what it gave is used and marked truncated.
export async function importTrace(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: ImportOptions): Promise<Result<Execution, NotATrace>> {
  const trace = new TraceImport(options);
  for await (const chunk of chunks) trace.push(chunk);
  return trace.finish();
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

  private link({ metadata, repairs }: TraceFile): Execution {
    const { tables } = this;
    const { texts } = this.reader;
    const modelName = textOf(metadata["lamella_model_name"]);
    const map = readModuleMap(metadata["lamella_module_map"]);
    const frames = new FrameTable();
    const nesting = nest(tables.calls, tables.threads.length);
    const places = new ModulePlaces(tables, nesting, texts, frames, { map: map.modules, frameName: this.options.frameName, modelName });
    const stacks = new CallStacks(tables.calls, nesting, places, frames, texts);
    const steps = new Steps(tables.steps, tables.calls, places);
    const onGpu = tables.kernels.length > 0;
    const links = onGpu ? linkKernels(tables, stacks, frames, steps, texts) : undefined;
    const operators = onGpu ? undefined : operatorTime(tables.calls, nesting, stacks, steps);
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
      modules: [...places.calls].map(([frame, calls]) => ({ frame, calls })),
      found: { ...tables.found, steps: steps.count, withStack: switchOf(metadata["with_stack"]) },
      notes: traceNotes({ metadata, repairs, tables, nesting, places, map, steps, links, operators, stacksCut: cut, namesShortened: frames.shortened }),
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
