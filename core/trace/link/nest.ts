// Parents of host calls: per thread, by Python's own parent ids where the parent is open on that thread, by containment in time elsewhere.
// Intervals that cross (clock granularity, calls that end late) never abort: the later call belongs to the one open at its start, counted.
import { callKinds, type HostCalls } from "./calls.ts";

export type Nesting = {
  order: Uint32Array; // rows of the calls, parents before their children, thread by thread in time order
  parent: Int32Array; // row → row of the innermost enclosing call; -1 = none
  crossings: number;
};

export function nest(calls: HostCalls, threads: number): Nesting {
  const order = sortedRows(calls, threads);
  const parent = new Int32Array(calls.length).fill(-1);
  const start = calls.start.values;
  const end = calls.end.values;
  const kind = calls.kind.values;
  const thread = calls.thread.values;
  const pythonId = calls.pythonId.values;
  const pythonParentId = calls.pythonParentId.values;
  const open: number[] = []; // rows, outermost first; launches are leaves and never stay open
  let crossings = 0;
  let current = -1;
  for (const row of order) {
    if (thread[row] !== current) {
      open.length = 0;
      current = thread[row]!;
    }
    // A call that ends where this one starts is over, unless this one has no duration: then it may still be its child (whole-microsecond traces).
    while (open.length > 0) {
      const top = open[open.length - 1]!;
      if (end[top]! > start[row]! || (end[top] === start[row] && end[row] === start[row])) break;
      open.pop();
    }
    if (pythonParentId[row]! >= 0) {
      const depth = pythonParentDepth(open, kind, pythonId, pythonParentId[row]!);
      if (depth >= 0) open.length = depth;
    }
    const top = open.length > 0 ? open[open.length - 1]! : -1;
    parent[row] = top;
    if (top >= 0 && end[row]! > end[top]!) crossings++;
    if (kind[row] !== callKinds.launch) open.push(row);
  }
  return { order, parent, crossings };
}

// How many of the open calls stay open below the Python call with this id: it and the operators it is in the middle of; -1 = it is not open.
function pythonParentDepth(open: number[], kind: Int32Array, pythonId: Int32Array, id: number): number {
  let stale = false;
  for (let depth = open.length; depth > 0; depth--) {
    const row = open[depth - 1]!;
    if (kind[row] === callKinds.op || kind[row] === callKinds.range) continue;
    if (pythonId[row] === id) return stale ? depth : open.length;
    stale = true;
  }
  return -1;
}

// Rows thread by thread, each by start, the longer first; equal intervals: Python before ranges before operators before launches, then by Python id and file order.
function sortedRows(calls: HostCalls, threads: number): Uint32Array {
  const first = new Uint32Array(threads + 1);
  const thread = calls.thread.values;
  for (let row = 0; row < calls.length; row++) first[thread[row]! + 1]!++;
  for (let i = 0; i < threads; i++) first[i + 1]! += first[i]!;
  const order = new Uint32Array(calls.length);
  const next = first.slice();
  for (let row = 0; row < calls.length; row++) order[next[thread[row]!]!++] = row;
  const start = calls.start.values;
  const end = calls.end.values;
  const kind = calls.kind.values;
  const pythonId = calls.pythonId.values;
  const rank = (row: number) => Math.max(kind[row]!, callKinds.python);
  const compare = (a: number, b: number): number =>
    start[a]! - start[b]! || end[b]! - end[a]! || rank(a) - rank(b) || pythonId[a]! - pythonId[b]! || a - b;
  for (let i = 0; i < threads; i++) order.subarray(first[i], first[i + 1]).sort(compare);
  return order;
}
