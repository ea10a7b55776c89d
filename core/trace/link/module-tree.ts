// All modules an execution saw, as a tree in pre-order: children in the order they were first called, each module once, with the times of its calls. Modules
// that only a captured graph shows hang where the capture had them.
import type { ExecutionModule } from "../execution.ts";
import type { ModulePlaces } from "./module-places.ts";
import type { ModuleTimes } from "./module-times.ts";

export function moduleTree(places: ModulePlaces, times: ModuleTimes): ExecutionModule[] {
  const parents = new Map<number, number>(); // frame → frame; -1 = a root
  for (const [frame, parent] of [...places.parentsInOrder(), ...times.replayedParents]) if (!parents.has(frame)) parents.set(frame, parent);
  const children = new Map<number, number[]>();
  for (const [frame, parent] of parents) {
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [frame]);
    else list.push(frame);
  }
  const list: ExecutionModule[] = [];
  const pending: [frame: number, parent: number, depth: number][] = (children.get(-1) ?? []).map((frame): [number, number, number] => [frame, -1, 0]).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [frame, parent, depth] = next;
    const row = list.length;
    list.push({ frame, parent, depth, calls: times.callsOf(frame) });
    for (const child of [...(children.get(frame) ?? [])].reverse()) pending.push([child, row, depth + 1]);
  }
  return list;
}
