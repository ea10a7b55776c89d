// Everything the import did not take as it was, one sentence each: repairs of the reader, doubts of the linker, bounds that cut something.
import { limits } from "#schema/limits.ts";
import type { Linker } from "./link/linker.ts";
import type { ModuleMap } from "./link/module-map.ts";
import type { TraceMetadata } from "./read/read-json.ts";
import { repairText, type Repair } from "./read/repairs.ts";
import type { TraceTables } from "./link/trace-tables.ts";

export type ImportCircumstances = { metadata: TraceMetadata; repairs: Repair[]; tables: TraceTables; linker: Linker; map: ModuleMap; onlyStep: number | undefined; stacksCut: number };

export function traceNotes({ metadata, repairs, tables, linker, map, onlyStep, stacksCut }: ImportCircumstances): string[] {
  const { counts } = tables;
  const counted: [string, number][] = [
    ["Events without a time, or over 104 days from the first; kernels among them are counted, others left out", counts.noTime],
    ["Events without a duration, read as 0", counts.noDuration],
    ["Durations below 0 or over 104 days, read as 0", counts.impossible],
    ["Begin and end events (ph B, E), not read; only complete events (ph X) are", counts.beginEnd],
    ["Calls that end after the call they started in, kept as its children", linker.counts.crossings],
    ["Modules missing in the recorder's module map, their paths inferred", linker.places.unmapped],
    ["Unreadable entries of the recorder's module map", map.unreadable],
    ["Kernels that start before their launch (host and GPU clocks differ), linked by id all the same", linker.counts.startedBeforeLaunch],
    ["Kernels whose correlation id several processes use, and of which nothing says which of them launched them; given to the last launch before them", linker.counts.ambiguous],
    ["Kernel launches without a kernel in the file (dropped, or still running at the end)", linker.counts.launchesWithoutKernel],
    ["Backward operators whose forward operator is not in the file", linker.counts.forwardMissing],
    ["Gradient accumulations, placed in the module whose backward ran right before them", linker.counts.accumulated],
    ["Kernels of replayed graphs, placed in the modules they were captured in", linker.counts.replayedMapped],
    ["Operators that overlap the operators they call, their own time read as 0", linker.counts.negativeSelf],
    [`Stacks deeper than ${limits.stackDepthMax.toLocaleString("en-US")} frames, their middle left out`, stacksCut],
    [`Modules whose path differs from another's only in the middle that is left out over ${limits.nameBytesMax.toLocaleString("en-US")} bytes, counted as one with it`, linker.places.merged],
    [`Names longer than ${limits.nameBytesMax.toLocaleString("en-US")} bytes, their middle left out`, linker.frames.shortened],
  ];
  const notes = repairs.map(repairText);
  for (const [what, count] of counted) if (count > 0) notes.push(`${what}: ${count.toLocaleString("en-US")}`);
  const { graphs } = linker.replays;
  if (linker.capturedHere > 0 && linker.counts.replayed === 0) {
    notes.push(`The file shows ${linker.capturedHere === 1 ? "a graph" : `${linker.capturedHere.toLocaleString("en-US")} graphs`} being captured (${graphs.reduce((sum, { kernels }) => sum + kernels.length, 0).toLocaleString("en-US")} launches) and none replayed: what they cost is in the trace of the run; import that one with --capture and this file`);
  }
  if (onlyStep !== undefined) notes.push(`Only step ${onlyStep} was taken; GPUs, copies and fills are those of the whole file`);
  if (linker.steps.shifted) notes.push("Steps are counted from 1: ProfilerStep#0 is step 1");
  if (metadata["baseTimeNanoseconds"] === undefined && tables.originMicros < 1e15) notes.push("The file has no absolute time: times count from an unknown start");
  return notes;
}
