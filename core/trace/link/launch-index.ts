// Correlation id → the host call that launched the work. Any runtime or driver call that owns the id counts; the id space belongs to a process, and
// 0 means "no id". External ids are another space and are never looked at here.
import type { TraceTables } from "./trace-tables.ts";

type Owners = { all: number[]; ofProcess: Map<number, number[]> }; // rows of calls, by start

export class LaunchIndex {
  ambiguous = 0; // look-ups that found the id in more than one process
  private readonly first = new Map<number, number>(); // correlation → row of the call
  private readonly shared = new Map<number, Owners>(); // of ids that several calls have
  private readonly tables: TraceTables;

  constructor(tables: TraceTables) {
    this.tables = tables;
    const { correlation, call } = tables.launches;
    for (let i = 0; i < correlation.length; i++) {
      const id = correlation.values[i]!;
      const row = call.values[i]!;
      const first = this.first.get(id);
      if (first === undefined) this.first.set(id, row);
      else if (this.shared.has(id)) this.shared.get(id)!.all.push(row);
      else this.shared.set(id, { all: [first, row], ofProcess: new Map() });
    }
    const start = tables.calls.start.values;
    for (const { all, ofProcess } of this.shared.values()) {
      all.sort((a, b) => start[a]! - start[b]! || b - a);
      for (const row of all) {
        const own = ofProcess.get(this.processOf(row));
        if (own === undefined) ofProcess.set(this.processOf(row), [row]);
        else own.push(row);
      }
    }
  }

  // Row of the launch of a kernel, -1 = not in the file. Of several owners: the one in the kernel's own process, else the last to start before the kernel.
  find(correlation: number, kernelProcess: number, kernelStart: number): number {
    const first = correlation === 0 ? undefined : this.first.get(correlation);
    if (first === undefined) return -1;
    const owners = this.shared.get(correlation);
    if (owners === undefined) return first;
    if (owners.ofProcess.size > 1) this.ambiguous++;
    return this.lastBefore(owners.ofProcess.get(kernelProcess) ?? owners.all, kernelStart);
  }

  // The first of all where none starts before: the kernel's clock is behind.
  private lastBefore(rows: readonly number[], at: number): number {
    const start = this.tables.calls.start.values;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[rows[middle]!]! <= at) low = middle + 1;
      else high = middle;
    }
    return rows[Math.max(0, low - 1)]!;
  }

  private processOf(row: number): number {
    const { calls, threads } = this.tables;
    return threads[calls.thread.values[row]!]!.process;
  }
}
