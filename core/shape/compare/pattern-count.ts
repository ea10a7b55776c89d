// How many modules or tensors a pattern of paths stands for ("*" is any index). A row is met once per step, however many paths lead to it.
import type { ShapeBody } from "#schema/api/models.ts";
import { joinPath } from "../copies.ts";
import { isIndex } from "../frame-name.ts";

export function modulesOfPattern({ modules, root }: ShapeBody, steps: readonly string[]): Map<number, number> {
  let rows = new Map([[root, 1]]);
  for (const step of steps) {
    const next = new Map<number, number>();
    for (const [row, count] of rows) {
      for (const { name, module } of modules[row]!.children) if (step === "*" ? isIndex(name) : name === step) next.set(module, (next.get(module) ?? 0) + count);
    }
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
    const { children, tensors } = shape.modules[row]!;
    for (const child of children) if (name === "*" ? isIndex(child.name) : child.name === name) count += times;
    for (const tensor of tensors) if (tensor.name === name) count += times;
  }
  return count;
}

// The first or last path of a pattern, in pre-order; undefined when it stands for none. A row that led nowhere is not tried again.
export function edgeOfPattern(shape: ShapeBody, pattern: string, edge: "first" | "last"): string | undefined {
  const steps = pattern.split(".");
  const inOrder = <One>(all: One[]): One[] => (edge === "first" ? all.reverse() : all); // as a stack wants them
  const open = [{ row: shape.root, path: "", depth: 0 }];
  const tried = new Set<string>();
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    if (top.depth === steps.length) return top.path;
    const key = `${top.row} ${top.depth}`;
    if (tried.has(key)) continue;
    tried.add(key);
    const step = steps[top.depth]!;
    const { children, tensors } = shape.modules[top.row]!;
    const { depth, path } = top;
    if (depth === steps.length - 1 && tensors.some(({ name }) => name === step)) return joinPath(path, step);
    const next = children.filter(({ name }) => (step === "*" ? isIndex(name) : name === step));
    open.push(...inOrder(next.map(({ name, module }) => ({ row: module, path: joinPath(path, name), depth: depth + 1 }))));
  }
  return undefined;
}
