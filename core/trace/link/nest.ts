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
  const open: number[] = []; // rows, outermost first; launches are leaves and never stay open
  const depthOf = new Map<number, number>(); // Python id → where its call stood in `open` last
  let crossings = 0;
  let current = -1;
  for (const row of order) {
    if (thread[row] !== current) {
      open.length = 0;
      current = thread[row]!;
    }
    // A call that ends where this one starts is over, unless this one has no duration: then it may still be its child (whole-microsecond traces). One of the
    // same name is not, nor does a long row of calls without duration lie in one another: such times are not known (a thousand events at 0 were seen).
    while (open.length > 0) {
      const top = open[open.length - 1]!;
      if (end[top]! > start[row]!) break;
      const outer = open.length >= instantDepthMax ? open[open.length - instantDepthMax]! : -1;
      if (end[top] === start[row] && end[row] === start[row] && !(start[top] === start[row] && name[top] === name[row]) && (outer < 0 || start[outer] !== start[row])) break;
      open.pop();
    }
    if (pythonParentId[row]! >= 0) {
      let depth = depthOf.get(pythonParentId[row]!) ?? open.length;
      if (depth < open.length && pythonId[open[depth]!] === pythonParentId[row]) {
        // It stays open, with the operators it is in the middle of.
        do depth++;
        while (depth < open.length && (kind[open[depth]!] === callKinds.op || kind[open[depth]!] === callKinds.range));
        open.length = firstDoubtful(open, depth, start[row]!, end);
      }
    }
    const top = open.length > 0 ? open[open.length - 1]! : -1;
    parent[row] = top;
    if (top >= 0 && end[row]! > end[top]!) crossings++;
    if (pythonId[row]! >= 0) depthOf.set(pythonId[row]!, open.length);
    if (kind[row] !== callKinds.launch) open.push(row);
  }
  return { order, parent, crossings };
}

// Depth of the first call, from this one on, of which time does not say that it is still running: it ends when the new call starts, or after the call it started in.
function firstDoubtful(open: readonly number[], depth: number, start: number, end: Float64Array): number {
  for (let i = depth; i < open.length; i++) if (end[open[i]!]! <= start || end[open[i]!]! > end[open[i - 1]!]!) return i;
  return open.length;
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
