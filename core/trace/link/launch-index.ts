// Correlation id → the host call that launched the work. Any runtime or driver call that owns the id counts; the id space belongs to a process, and
// 0 means "no id". External ids are another space and are never looked at here.
import type { TraceTables } from "./trace-tables.ts";

export class LaunchIndex {
  readonly lowest: number; // the smallest id launched in the file
  ambiguous = 0; // look-ups that found the id in more than one process
  private readonly first = new Map<number, number>(); // correlation → row of the call
  private readonly others = new Map<number, number[]>(); // further calls with the same id
  private readonly tables: TraceTables;

  constructor(tables: TraceTables) {
    this.tables = tables;
    const { correlation, call } = tables.launches;
    let lowest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < correlation.length; i++) {
      const id = correlation.values[i]!;
      if (id < lowest) lowest = id;
      if (!this.first.has(id)) this.first.set(id, call.values[i]!);
      else if (this.others.has(id)) this.others.get(id)!.push(call.values[i]!);
      else this.others.set(id, [call.values[i]!]);
    }
    this.lowest = lowest;
  }

  // Row of the launch of a kernel, -1 = not in the file. Of several owners: the one in the kernel's own process, else the last to start before the kernel.
  find(correlation: number, kernelProcess: number, kernelStart: number): number {
    const first = correlation === 0 ? undefined : this.first.get(correlation);
    if (first === undefined) return -1;
    const others = this.others.get(correlation);
    if (others === undefined) return first;
    const { calls, threads } = this.tables;
    const owners = [first, ...others];
    const processOf = (row: number) => threads[calls.thread.values[row]!]!.process;
    if (owners.some((row) => processOf(row) !== processOf(first))) this.ambiguous++;
    const own = owners.filter((row) => processOf(row) === kernelProcess);
    const candidates = own.length > 0 ? own : owners;
    const before = candidates.filter((row) => calls.start.values[row]! <= kernelStart);
    return before.reduce((best, row) => (calls.start.values[row]! > calls.start.values[best]! ? row : best), before[0] ?? candidates[0]!);
  }
}
