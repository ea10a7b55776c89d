// How long a GPU was busy: the union of its kernels' intervals. Kernels of different streams, and sometimes of one, overlap (74 on a real B200 trace), so the
// sum of their times may exceed the time that passed; the union never does.
import type { Kernels } from "./calls.ts";

// ns per group, added up over the GPUs of a group. `groupOf`: per kernel; kernels without a time are in no interval.
export function busyTime(kernels: Kernels, groupOf: (kernel: number) => number): Map<number, number> {
  const start = kernels.start.values;
  const duration = kernels.duration.values;
  const device = kernels.device.values;
  const group = new Float64Array(kernels.length);
  for (let k = 0; k < kernels.length; k++) group[k] = groupOf(k);
  const order = new Uint32Array(kernels.length);
  let timed = 0;
  for (let k = 0; k < kernels.length; k++) if (!Number.isNaN(start[k]!)) order[timed++] = k;
  const rows = order.subarray(0, timed).sort((a, b) => group[a]! - group[b]! || device[a]! - device[b]! || start[a]! - start[b]!);
  const busy = new Map<number, number>();
  let until = Number.NEGATIVE_INFINITY;
  let last = -1;
  for (const k of rows) {
    if (last < 0 || group[k] !== group[last] || device[k] !== device[last]) until = Number.NEGATIVE_INFINITY;
    const end = start[k]! + duration[k]!;
    const fresh = Math.max(0, end - Math.max(start[k]!, until));
    busy.set(group[k]!, (busy.get(group[k]!) ?? 0) + fresh);
    until = Math.max(until, end);
    last = k;
  }
  return busy;
}
