// How many modules or tensors a pattern of paths stands for ("*" is any index). A row is met once per step, however many paths lead to it, and its names are
// indexed once, when a pattern first goes through it: a layout may ask of 150,000 patterns, and one row may have 60,000 children.
import type { ModuleRow, ShapeBody } from "#schema/api/models.ts";
import { joinPath } from "../locate.ts";
import { isIndex } from "../frame-name.ts";

// The children of a row that one step leads to, those of equal structure together.
interface Ways {
  copies: Map<number, number>; // by row
  first: ModuleRow["children"]; // one of each row, in order: its first copy
  last: ModuleRow["children"]; // its last
}

interface Names {
  children: Map<string, ModuleRow["children"]>; // by step
  ways: Map<string, Ways>; // by step that was asked for
  tensors: Map<string, number>;
}

const noWays: Ways = { copies: new Map(), first: [], last: [] };
const namesOfRows = new WeakMap<ModuleRow, Names>(); // rows do not change

function namesOf(row: ModuleRow): Names {
  let names = namesOfRows.get(row);
  if (names === undefined) {
    names = { children: new Map(), ways: new Map(), tensors: new Map() };
    for (const child of row.children) {
      if (child.name !== "*") push(names.children, child.name, child);
      if (isIndex(child.name)) push(names.children, "*", child);
    }
    for (const { name } of row.tensors) names.tensors.set(name, (names.tensors.get(name) ?? 0) + 1);
    namesOfRows.set(row, names);
  }
  return names;
}

function waysFrom(row: ModuleRow, step: string): Ways {
  const { children, ways } = namesOf(row);
  const known = ways.get(step);
  if (known !== undefined) return known;
  const taken = children.get(step);
  if (taken === undefined) return noWays;
  const found: Ways = { copies: new Map(), first: [], last: [] };
  const last = new Map<number, ModuleRow["children"][number]>();
  for (const child of taken) {
    const { module } = child;
    if (!found.copies.has(module)) found.first.push(child);
    found.copies.set(module, (found.copies.get(module) ?? 0) + 1);
    last.delete(module); // so that the map is in order of the last copies
    last.set(module, child);
  }
  found.last = [...last.values()];
  ways.set(step, found);
  return found;
}

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

export function modulesOfPattern({ modules, root }: ShapeBody, steps: readonly string[]): Map<number, number> {
  let rows = new Map([[root, 1]]);
  for (const step of steps) {
    const next = new Map<number, number>();
    for (const [row, count] of rows) for (const [module, copies] of waysFrom(modules[row]!, step).copies) next.set(module, (next.get(module) ?? 0) + count * copies);
    rows = next;
  }
  return rows;
}

export function countOfPattern(shape: ShapeBody, pattern: string): number {
  if (pattern === "") return 1;
  const steps = pattern.split(".");
  const name = steps.pop()!;
  let count = 0;
  for (const [row, times] of modulesOfPattern(shape, steps)) {
    const { children, tensors } = namesOf(shape.modules[row]!);
    count += times * ((children.get(name)?.length ?? 0) + (tensors.get(name) ?? 0));
  }
  return count;
}

// The first or last path of a pattern, in pre-order; undefined when it stands for none. A row that led nowhere is not tried again.
export function edgeOfPattern(shape: ShapeBody, pattern: string, edge: "first" | "last"): string | undefined {
  const steps = pattern.split(".");
  const open = [{ row: shape.root, path: "", depth: 0 }];
  const tried = new Set<string>();
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    if (top.depth === steps.length) return top.path;
    const key = `${top.row} ${top.depth}`;
    if (tried.has(key)) continue;
    tried.add(key);
    const step = steps[top.depth]!;
    const row = shape.modules[top.row]!;
    const { depth, path } = top;
    if (depth === steps.length - 1 && namesOf(row).tensors.has(step)) return joinPath(path, step);
    const ways = waysFrom(row, step);
    const inOrder = edge === "first" ? [...ways.first].reverse() : ways.last; // as a stack wants them
    for (const { name, module } of inOrder) open.push({ row: module, path: joinPath(path, name), depth: depth + 1 });
  }
  return undefined;
}
