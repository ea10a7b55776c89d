// What ran on each GPU, and what was copied: facts beside the module times, never part of them.
import type { ExecutionCopy, ExecutionDevice } from "../execution.ts";
import { BusyTime } from "./busy-time.ts";
import type { Kernels } from "./calls.ts";

export class DeviceSums {
  private readonly sums = new Map<number, Omit<ExecutionDevice, "streams" | "busyNs"> & { streams: Set<number> }>();
  private readonly busy = new BusyTime();
  private readonly byKind = new Map<string, ExecutionCopy>();

  // `settledNs`: no kernel added later starts before it.
  addKernels(kernels: Kernels, settledNs: number): void {
    const device = kernels.device.values;
    for (let k = 0; k < kernels.length; k++) {
      let sum = this.sums.get(device[k]!);
      if (sum === undefined) this.sums.set(device[k]!, (sum = { device: device[k]!, name: "", streams: new Set(), kernels: 0, value: 0 }));
      sum.streams.add(kernels.stream.values[k]!);
      sum.kernels++;
      sum.value += kernels.duration.values[k]!;
    }
    this.busy.add(kernels, (kernel) => device[kernel]!, settledNs);
  }

  // `bytes`: 0 where the file does not say.
  addCopy(kind: string, durationNs: number, bytes: number): void {
    let sum = this.byKind.get(kind);
    if (sum === undefined) this.byKind.set(kind, (sum = { kind, count: 0, durationNs: 0, bytes: 0 }));
    sum.count++;
    sum.durationNs += durationNs;
    sum.bytes += bytes;
  }

  // `nameOf`: a device's name where the file gives it.
  devices(nameOf: ReadonlyMap<number, string>): ExecutionDevice[] {
    const busyNs = this.busy.sums();
    return [...this.sums.values()]
      .sort((a, b) => a.device - b.device)
      .map((sum) => ({ ...sum, name: nameOf.get(sum.device) ?? "", streams: sum.streams.size, busyNs: busyNs.get(sum.device) ?? 0 }));
  }

  copies(): ExecutionCopy[] {
    return [...this.byKind.values()].sort((a, b) => b.durationNs - a.durationNs);
  }
}
