// How long a GPU was busy: the union of its kernels' intervals. Kernels of different streams, and sometimes of one, overlap (74 on a real B200 trace), so the
// sum of their times may exceed the time that passed; the union never does. It is built stretch by stretch: what later kernels may overlap is kept until then.
import type { Kernels } from "./calls.ts";

type Interval = [start: number, end: number]; // ns
type Gpu = { settled: number; open: Interval[] }; // ns that nothing later overlaps; the rest, by start, apart from one another

export class BusyTime {
  private readonly groups = new Map<number, Map<number, Gpu>>(); // group → device

  // `groupOf`: per kernel; kernels without a time are in no interval. `settledNs`: no kernel added later starts before it.
  add(kernels: Kernels, groupOf: (kernel: number) => number, settledNs: number): void {
    const start = kernels.start.values;
    const device = kernels.device.values;
    const group = new Float64Array(kernels.length);
    for (let k = 0; k < kernels.length; k++) group[k] = groupOf(k);
    const order = new Uint32Array(kernels.length);
    let timed = 0;
    for (let k = 0; k < kernels.length; k++) if (!Number.isNaN(start[k]!)) order[timed++] = k;
    const rows = order.subarray(0, timed).sort((a, b) => group[a]! - group[b]! || device[a]! - device[b]! || start[a]! - start[b]!);
    for (let from = 0; from < timed; ) {
      const [inGroup, onDevice] = [group[rows[from]!]!, device[rows[from]!]!];
      let to = from;
      while (to < timed && group[rows[to]!] === inGroup && device[rows[to]!] === onDevice) to++;
      this.merge(this.gpu(inGroup, onDevice), kernels, rows.subarray(from, to), settledNs);
      from = to;
    }
  }

  // ns per group, added up over the GPUs of a group.
  sums(): Map<number, number> {
    const sumOf = ({ settled, open }: Gpu): number => open.reduce((sum, [start, end]) => sum + end - start, settled);
    return new Map([...this.groups].map(([group, gpus]) => [group, [...gpus.values()].reduce((sum, gpu) => sum + sumOf(gpu), 0)]));
  }

  private merge(gpu: Gpu, { start, duration }: Kernels, rows: Uint32Array, settledNs: number): void {
    const before = gpu.open;
    gpu.open = [];
    let [from, until] = [0, Number.NEGATIVE_INFINITY];
    const close = (): void => {
      if (until === Number.NEGATIVE_INFINITY) return;
      if (until <= settledNs) gpu.settled += until - from;
      else gpu.open.push([from, until]);
    };
    for (let i = 0, j = 0; i < before.length || j < rows.length; ) {
      const takesOld = j === rows.length || (i < before.length && before[i]![0] <= start.values[rows[j]!]!);
      const at = takesOld ? before[i]![0] : start.values[rows[j]!]!;
      const end = takesOld ? before[i++]![1] : at + duration.values[rows[j++]!]!;
      if (at > until) {
        close();
        from = at;
        until = end;
      } else until = Math.max(until, end);
    }
    close();
  }

  private gpu(group: number, device: number): Gpu {
    let gpus = this.groups.get(group);
    if (gpus === undefined) this.groups.set(group, (gpus = new Map()));
    let gpu = gpus.get(device);
    if (gpu === undefined) gpus.set(device, (gpu = { settled: 0, open: [] }));
    return gpu;
  }
}
