// Everything the import did not take as it was, one sentence each: repairs of the reader, doubts of the linker, bounds that cut something.
import { limits } from "#schema/limits.ts";
import type { BackwardLinks } from "./link/backward-links.ts";
import type { KernelLinks } from "./link/link-kernels.ts";
import type { ModuleMap } from "./link/module-map.ts";
import type { ModulePlaces } from "./link/module-places.ts";
import type { Nesting } from "./link/nest.ts";
import type { OperatorTime } from "./link/operator-time.ts";
import type { TraceMetadata } from "./read/read-json.ts";
import { repairText, type Repair } from "./read/repairs.ts";
import type { Steps } from "./link/steps.ts";
import type { TraceTables } from "./link/trace-tables.ts";

export type ImportCircumstances = {
  metadata: TraceMetadata; repairs: Repair[]; tables: TraceTables; nesting: Nesting; backward: BackwardLinks; places: ModulePlaces; map: ModuleMap; steps: Steps;
  links: KernelLinks | undefined; operators: OperatorTime | undefined; stacksCut: number; namesShortened: number;
};

export function traceNotes({ metadata, repairs, tables, nesting, backward, places, map, steps, links, operators, stacksCut, namesShortened }: ImportCircumstances): string[] {
  const { counts } = tables;
  const counted: [string, number][] = [
    ["Events without a time, or over 104 days from the first; kernels among them are counted, others left out", counts.noTime],
    ["Events without a duration, read as 0", counts.noDuration],
    ["Durations below 0 or over 104 days, read as 0", counts.impossible],
    ["Begin and end events (ph B, E), not read; only complete events (ph X) are", counts.beginEnd],
    ["Calls that end after the call they started in, kept as its children", nesting.crossings],
    ["Modules missing in the recorder's module map, their paths inferred", places.unmapped],
    ["Unreadable entries of the recorder's module map", map.unreadable],
    ["Kernels that start before their launch (host and GPU clocks differ), linked by id all the same", links?.startedBeforeLaunch ?? 0],
    ["Kernels whose correlation id several processes use, given to the last launch before them", links?.ambiguous ?? 0],
    ["Kernel launches without a kernel in the file (dropped, or still running at the end)", links?.launchesWithoutKernel ?? 0],
    ["Backward operators whose forward operator is not in the file", backward.unlinked],
    ["Gradient accumulations, placed in the module whose backward ran right before them", backward.accumulated],
    ["Kernels of replayed graphs, placed in the modules they were captured in", links?.replayedMapped ?? 0],
    ["Operators that overlap the operators they call, their own time read as 0", operators?.negative ?? 0],
    [`Stacks deeper than ${limits.stackDepthMax.toLocaleString("en-US")} frames, their middle left out`, stacksCut],
    [`Names longer than ${limits.nameBytesMax.toLocaleString("en-US")} bytes, their middle left out`, namesShortened],
  ];
  const notes = repairs.map(repairText);
  for (const [what, count] of counted) if (count > 0) notes.push(`${what}: ${count.toLocaleString("en-US")}`);
  if (steps.shifted) notes.push("Steps are counted from 1: ProfilerStep#0 is step 1");
  if (metadata["baseTimeNanoseconds"] === undefined && tables.originMicros < 1e15) notes.push("The file has no absolute time: times count from an unknown start");
  return notes;
}
