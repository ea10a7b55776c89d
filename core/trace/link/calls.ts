// Calls on host threads and kernels on the GPU, one row each, in columns.
import { Float64Column, Int32Column } from "./columns.ts";

// Kinds of host calls; the order is the nesting order of calls with equal intervals (outer first). A range is a user annotation: record_function, NVTX.
export const callKinds = { module: 0, python: 1, range: 2, op: 3, launch: 4 } as const;

// One row per call on a host thread.
export class HostCalls {
  readonly start = new Float64Column(); // ns
  readonly end = new Float64Column(); // ns
  readonly name = new Int32Column(); // text id
  readonly thread = new Int32Column(); // index into TraceTables.threads
  readonly kind = new Int32Column(); // callKinds
  readonly pythonId = new Int32Column(); // -1 = none
  readonly pythonParentId = new Int32Column();
  get length(): number {
    return this.start.length;
  }

  clear(): void {
    clearColumns(this);
  }
}

export class Kernels {
  readonly start = new Float64Column(); // ns; NaN = the event has no time
  readonly duration = new Float64Column(); // ns
  readonly name = new Int32Column(); // text id
  readonly correlation = new Float64Column(); // 0 = absent
  readonly process = new Int32Column(); // text id of the pid
  readonly device = new Int32Column(); // -1 = absent
  readonly stream = new Int32Column(); // -1 = absent
  readonly graphNode = new Float64Column(); // 0 = absent
  readonly grid = new Int32Column(); // text id; 0 = absent
  readonly block = new Int32Column();
  get length(): number {
    return this.start.length;
  }

  clear(): void {
    clearColumns(this);
  }
}

export function clearColumns(table: object): void {
  for (const column of Object.values(table)) if (column instanceof Float64Column || column instanceof Int32Column) column.clear();
}
