// Self time of nested calls: a call's time minus that of the calls directly inside it. Nested self times add up to the outermost call's time exactly.
import type { HostCalls } from "../link/calls.ts";
import type { Nesting } from "../link/nest.ts";

export type SelfTimes = { values: Float64Array; negative: number }; // ns by row; negative: inner calls that overlap, their caller's own time read as 0

export function selfTimes({ start: { values: start }, end: { values: end }, length }: HostCalls, { order, parent }: Nesting): SelfTimes {
  const values = new Float64Array(length);
  let negative = 0;
  for (const row of order) {
    values[row]! += end[row]! - start[row]!;
    const outer = parent[row]!;
    if (outer >= 0) values[outer]! -= Math.max(0, Math.min(end[row]!, end[outer]!) - start[row]!);
  }
  for (let row = 0; row < length; row++) {
    if (values[row]! >= 0) continue;
    values[row] = 0;
    negative++;
  }
  return { values, negative };
}
