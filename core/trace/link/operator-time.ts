// A trace without GPU kernels: the self time of operators, i.e. an operator's time minus that of the operators it calls, whatever Python lies between them.
// Self times of nested operators add up to the outermost operator's time exactly.
import { callKinds } from "./calls.ts";
import type { Linker } from "./linker.ts";
import type { Stretch } from "./stretch.ts";

export function operatorTime(linker: Linker, { calls, nesting, attribution }: Stretch): void {
  const { sum, stacks, steps, counts } = linker;
  const start = calls.start.values;
  const end = calls.end.values;
  const kind = calls.kind.values;
  const caller = new Int32Array(calls.length).fill(-1); // innermost operator around a call
  const inner = new Float64Array(calls.length); // ns of the operators directly below
  for (const row of nesting.order) {
    const parent = nesting.parent[row]!;
    if (parent >= 0) caller[row] = kind[parent] === callKinds.op ? parent : caller[parent]!;
    const outer = caller[row]!;
    if (kind[row] === callKinds.op && outer >= 0) inner[outer]! += Math.max(0, Math.min(end[row]!, end[outer]!) - start[row]!);
  }
  // In time over all threads, so that the order of the samples does not depend on where the file is cut.
  for (const row of nesting.order.filter((call) => kind[call] === callKinds.op).sort((a, b) => start[a]! - start[b]!)) {
    const self = end[row]! - start[row]! - inner[row]!;
    if (self < 0) counts.negativeSelf++;
    const step = steps.of(row);
    if (linker.takes(step)) sum.add(stacks.of(row), step, Math.max(0, self), attribution.innermostModule(row) < 0 ? "outside any module" : undefined);
  }
}
