// Correlation id → the host call that launched the work. Any runtime or driver call that owns the id counts; the id space belongs to a process, and
// 0 means "no id". External ids are another space and are never looked at here.
// Where several processes launch, a kernel belongs to the process whose GPU it ran on (gpu-owners.ts). Where the file does not say whose that is, and several own the
// id, it goes to the last launch before it, counted.
import type { GpuOwners } from "./gpu-owners.ts";
import type { FileFacts, TraceTables } from "./trace-tables.ts";

type Owners = { all: number[]; ofProcess: Map<number, number[]> }; // rows of calls, by start

export class LaunchIndex {
  ambiguous = 0; // look-ups that found the id in several processes, and nothing to choose by
  private readonly first = new Map<number, number>(); // correlation → row of the call
  private readonly shared = new Map<number, Owners>(); // of ids that several calls have
  private readonly tables: TraceTables;
  private readonly gpus: GpuOwners;
  private readonly lowestLaunched: ReadonlyMap<number, number>;
  private readonly lowestOfAll: number; // Infinity = nothing is launched in the file

  constructor(tables: TraceTables, gpus: GpuOwners, { lowestLaunched }: FileFacts) {
    this.tables = tables;
    this.gpus = gpus;
    this.lowestLaunched = lowestLaunched;
    this.lowestOfAll = Math.min(...lowestLaunched.values());
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

  // Row of the launch of a kernel, by its row; -1 = not in the file. Of several launches of its process, the last to start before the kernel.
  find(kernel: number): number {
    const { correlation, start } = this.tables.kernels;
    const id = correlation.values[kernel]!;
    if (id === 0) return -1;
    const owner = this.ownerOf(kernel);
    const owners = this.shared.get(id);
    const first = this.first.get(id);
    if (owners === undefined) return first === undefined || (owner >= 0 && this.processOf(first) !== owner) ? -1 : first;
    if (owner < 0 && owners.ofProcess.size > 1) this.ambiguous++;
    const rows = owner < 0 ? owners.all : owners.ofProcess.get(owner);
    return rows === undefined ? -1 : this.lastBefore(rows, start.values[kernel]!);
  }

  // Whether a kernel without a launch was launched before the recording: its id is lower than every id its process launched in the file. Ids only grow.
  launchedBefore(kernel: number): boolean {
    const id = this.tables.kernels.correlation.values[kernel]!;
    const lowest = this.lowestLaunched.get(this.ownerOf(kernel)) ?? this.lowestOfAll;
    return id !== 0 && id < lowest && Number.isFinite(lowest);
  }

  // Row of the first call of a process with this id; -1 = it has none.
  firstOf(id: number, process: number): number {
    const owners = this.shared.get(id);
    if (owners !== undefined) return owners.ofProcess.get(process)?.[0] ?? -1;
    const row = this.first.get(id);
    return row !== undefined && this.processOf(row) === process ? row : -1;
  }

  private ownerOf(kernel: number): number {
    const { process, device } = this.tables.kernels;
    return this.gpus.several ? this.gpus.ownerOf(process.values[kernel]!, device.values[kernel]!) : -1;
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
