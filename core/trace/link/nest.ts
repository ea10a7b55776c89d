// Parents of host calls: per thread, by containment in time. Intervals that cross (clock granularity, calls that end late) never abort: the later call belongs to
// the one open at its start, counted. Python's own parent ids decide where time does not: calls without a duration, and calls whose end was lost, which last to
// the end of the file (one on a real Flux trace, across half of it). Elsewhere they are not believed: in what an operator calls back (checkpointing's hooks, vLLM's
// attention) they name a caller further out, 307 times on a real ResNet.
import { callKinds, type HostCalls } from "./calls.ts";

export type Nesting = {
  order: Uint32Array; // rows of the calls, parents before their children, thread by thread in time order
  parent: Int32Array; // row → row of the innermost enclosing call; -1 = none
  crossings: number;
};

const instantDepthMax = 16; // calls without duration, inside one another; 2 on real traces

export function nest(calls: HostCalls, threads: number): Nesting {
  const order = sortedRows(calls, threads);
  const parent = new Int32Array(calls.length).fill(-1);
  const start = calls.start.values;
  const end = calls.end.values;
  const kind = calls.kind.values;
  const thread = calls.thread.values;
  const pythonId = calls.pythonId.values;
  const pythonParentId = calls.pythonParentId.values;
  const name = calls.name.values;
  const open = new Int32Array(calls.length); // rows, outermost first; launches are leaves and never stay open
  const depthOf = new Depths(pythonId, calls.length);
  let depth = 0; // of `open`
  let crossings = 0;
  let current = -1;
  for (let i = 0; i < order.length; i++) {
    const row = order[i]!;
    if (thread[row] !== current) {
      depth = 0;
      current = thread[row]!;
    }
    // A call that ends where this one starts is over, unless this one has no duration: then it may still be its child (whole-microsecond traces). One of the
    // same name is not, nor does a long row of calls without duration lie in one another: such times are not known (a thousand events at 0 were seen).
    while (depth > 0) {
      const top = open[depth - 1]!;
      if (end[top]! > start[row]!) break;
      const outer = depth >= instantDepthMax ? open[depth - instantDepthMax]! : -1;
      if (end[top] === start[row] && end[row] === start[row] && !(start[top] === start[row] && name[top] === name[row]) && (outer < 0 || start[outer] !== start[row])) break;
      depth--;
    }
    const caller = pythonParentId[row]!;
    if (caller >= 0) {
      let below = depthOf.get(caller);
      if (below < depth && pythonId[open[below]!] === caller) {
        // It stays open, with the operators it is in the middle of.
        do below++;
        while (below < depth && (kind[open[below]!] === callKinds.op || kind[open[below]!] === callKinds.range));
        // Of the calls above, those stay of which time says that they are still running: not one that ends when this one starts, or after the call it started in.
        while (below < depth && end[open[below]!]! > start[row]! && end[open[below]!]! <= end[open[below - 1]!]!) below++;
        depth = below;
      }
    }
    const top = depth > 0 ? open[depth - 1]! : -1;
    parent[row] = top;
    if (top >= 0 && end[row]! > end[top]!) crossings++;
    if (pythonId[row]! >= 0) depthOf.set(pythonId[row]!, depth);
    if (kind[row] !== callKinds.launch) open[depth++] = row;
  }
  return { order, parent, crossings };
}

// Python id → where its call stood among the open ones last. Ids are counted up, so those of a trace lie in one piece and an array holds them; a map takes what does not.
class Depths {
  private readonly lowest: number;
  private readonly near: Int32Array;
  private readonly room: number;
  private readonly far = new Map<number, number>();

  constructor(ids: Int32Array, length: number) {
    let lowest = 2 ** 31 - 1;
    for (let i = 0; i < length; i++) if (ids[i]! >= 0 && ids[i]! < lowest) lowest = ids[i]!;
    this.lowest = lowest;
    this.room = 4 * length;
    this.near = new Int32Array(this.room);
  }

  // Of an id never set, any: the id of the call that stands there tells.
  get(id: number): number {
    const slot = id - this.lowest;
    return slot >= 0 && slot < this.room ? this.near[slot]! : (this.far.get(id) ?? 0);
  }

  set(id: number, depth: number): void {
    const slot = id - this.lowest;
    if (slot < this.room) this.near[slot] = depth;
    else this.far.set(id, depth);
  }
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
  // A file has a thread's calls in a few runs that are sorted (its operators, its Python calls): what an array's sort merges, and a typed array's does not.
  for (let i = 0; i < threads; i++) order.set(Array.from(order.subarray(first[i], first[i + 1])).sort(compare), first[i]);
  return order;
}
