// The stages of a pipeline → one whole model, merged by path. A stage keeps a placeholder (`PPMissingLayer`, or an `Identity`) where another holds the
// module; real modules win. Linear: a combination of stage rows is merged once, however many paths have it.
// Invariant: a model split in stages and merged again is the model, row for row; a disagreement is named by its path, never settled by guessing.
import type { ModuleRow, ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { ok, err, type Result } from "../result.ts";
import { checkAliases } from "./alias.ts";
import { isIndex } from "../module-path.ts";
import { joinPath } from "./locate.ts";
import { ModuleTable } from "./module-table.ts";
import type { ShapePart } from "./part.ts";
import { overLimit, undecodable, type ShapeProblem } from "./problem.ts";
import { checkSharedParts } from "./shared-parts.ts";
import { rowTotals } from "./totals.ts";

export type MergeProblem =
  | { kind: "missing_stages"; stages: number[]; detail: string } // wait for these, 0-based
  | { kind: "missing_layers"; path: string; detail: string } // the stages are of different splits: wait for the other ones
  | { kind: "conflict"; path: string; detail: string }
  | { kind: "limit_exceeded"; detail: string };

// Parts of one model_key, in any order.
export function mergeParts(parts: readonly Pick<ShapePart, "ppRank" | "ppSize" | "body">[]): Result<ShapeBody, MergeProblem> {
  const ppSize = parts.reduce((most, part) => Math.max(most, part.ppSize), 1);
  const byRank = new Map(parts.map((part) => [part.ppRank, part]));
  const stages = missingStages([...byRank.keys()], ppSize);
  if (stages.length > 0) {
    return err({ kind: "missing_stages", stages, detail: `stage${stages.length > 1 ? "s" : ""} ${stages.join(", ")} of ${ppSize} not stored yet` });
  }
  const bodies = [...byRank.values()].sort((a, b) => a.ppRank - b.ppRank).map((part) => part.body);

  const table = new ModuleTable();
  const merged = mergeRows(table, bodies.map((body) => table.copy(body.modules, body.root)));
  if (!merged.ok) return merged;
  const aliases = mergeAliases(bodies);
  if (!aliases.ok) return aliases;
  const whole = new ModuleTable(); // without the rows only a single stage used
  const body: ShapeBody = {
    architecture: bodies.find((stage) => stage.architecture !== "")?.architecture ?? "",
    root: whole.copy(table.modules, merged.value),
    modules: whole.modules,
    aliases: aliases.value,
  };
  const missing = missingLayer(body);
  if (missing !== undefined) return err({ kind: "missing_layers", path: missing, detail: `no stage that is stored holds "${missing}": they are of different splits` });
  const over = checkBounds(body);
  if (over !== undefined) return err({ kind: "limit_exceeded", detail: `after merging, ${over.detail}` });
  const problem = checkAliases(body, true);
  if (problem !== undefined) return err({ kind: "conflict", path: "", detail: `after merging, ${problem.detail}` });
  const shared = checkSharedParts(body);
  return shared === undefined ? ok(body) : err({ kind: "limit_exceeded", detail: `after merging, ${shared.detail}` });
}

// The first layer for which every stage has a placeholder. A part that no stage has by design (a head that is never built) is no indexed child.
function missingLayer(body: ShapeBody): string | undefined {
  const placeholders = new Set(body.modules.flatMap(({ className }, row) => (className === "PPMissingLayer" ? [row] : [])));
  if (placeholders.size === 0) return undefined;
  const met = new Set<number>();
  const open = [{ row: body.root, path: "" }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    for (const { name, module } of body.modules[top.row]!.children) {
      const path = joinPath(top.path, name);
      if (placeholders.has(module) && isIndex(name)) return path;
      if (!met.has(module)) open.push({ row: module, path });
      met.add(module);
    }
  }
  return undefined;
}

// Each stage was within the bounds of a shape; all together must be too.
function checkBounds(body: ShapeBody): ShapeProblem | undefined {
  const { parameters, weightBytes, modules } = rowTotals(body)[body.root]!;
  const tensors = body.modules.reduce((sum, row) => sum + row.tensors.length, 0);
  if (body.modules.length > limits.modulesPerShapeMax) return overLimit("modules", body.modules.length, "modulesPerShapeMax");
  if (modules > limits.modulesInTreeMax) return overLimit("modules in the tree", modules, "modulesInTreeMax");
  if (tensors > limits.tensorsPerShapeMax) return overLimit("tensors", tensors, "tensorsPerShapeMax");
  if (body.aliases.length > limits.aliasesPerShapeMax) return overLimit("aliases", body.aliases.length, "aliasesPerShapeMax");
  if (Math.max(parameters, weightBytes) > Number.MAX_SAFE_INTEGER) return undecodable("parameters or weight bytes are over 2^53 - 1");
  return undefined;
}

// Stages of 0 … ppSize - 1 that are not there.
export function missingStages(ranks: readonly number[], ppSize: number): number[] {
  const there = new Set(ranks);
  return Array.from({ length: ppSize }, (_, rank) => rank).filter((rank) => !there.has(rank));
}

interface Open {
  path: string;
  key: string; // the rows merged here
  rows: readonly number[]; // distinct, in stage order
  names: string[]; // of the children, in order
  childRows: number[][]; // by child: its rows in the stages that have it
  next: number;
}

// One module from what the stages hold at the same path; rows are rows of the table, where equal structure is one row.
function mergeRows(table: ModuleTable, roots: number[]): Result<number, MergeProblem> {
  const done = new Map<string, number>();
  const open: Open[] = [openAt(table, "", roots)];
  for (let top = open[0]; top !== undefined; top = open.at(-1)) {
    if (top.rows.length === 1) {
      done.set(top.key, top.rows[0]!);
      open.pop();
      continue;
    }
    const next = top.childRows[top.next++];
    if (next !== undefined) {
      // Two stages of n rows can meet in n × n ways; a real pipeline meets in as many as it has rows.
      if (done.size > limits.modulesPerShapeMax) {
        return err({ kind: "limit_exceeded", detail: overLimit("modules merged", done.size, "modulesPerShapeMax").detail });
      }
      if (!done.has(keyOf(table, next))) open.push(openAt(table, joinPath(top.path, top.names[top.next - 1]!), next));
      continue;
    }
    const module = mergeOwn(table, top);
    if (!module.ok) return module;
    const children = top.names.map((name, i) => ({ name, module: done.get(keyOf(table, top.childRows[i]!))! }));
    done.set(top.key, table.intern({ ...module.value, children }));
    open.pop();
  }
  return ok(done.get(keyOf(table, roots))!);
}

function openAt(table: ModuleTable, path: string, stageRows: readonly number[]): Open {
  const rows = realRows(table, stageRows);
  const childRows = new Map<string, number[]>();
  if (rows.length > 1) {
    for (const row of rows) {
      for (const { name, module } of table.modules[row]!.children) {
        const known = childRows.get(name);
        if (known === undefined) childRows.set(name, [module]);
        else known.push(module);
      }
    }
  }
  return { path, key: rows.join(" "), rows, names: [...childRows.keys()], childRows: [...childRows.values()], next: 0 };
}

function keyOf(table: ModuleTable, stageRows: readonly number[]): string {
  return realRows(table, stageRows).join(" ");
}

// Distinct rows without placeholders, unless every stage has one there.
function realRows(table: ModuleTable, stageRows: readonly number[]): number[] {
  const distinct = [...new Set(stageRows)];
  const named = (row: number): string => table.modules[row]!.className;
  const present = distinct.filter((row) => named(row) !== "PPMissingLayer");
  const real = present.filter((row) => !(named(row) === "Identity" && table.modules[row]!.children.length === 0));
  return real.length > 0 ? real : present.length > 0 ? present : distinct;
}

function mergeOwn(table: ModuleTable, { path, rows }: Open): Result<Omit<ModuleRow, "children">, MergeProblem> {
  const [first, ...others] = rows.map((row) => table.modules[row]!);
  const tensors = new Map(first!.tensors.map((tensor) => [tensor.name, tensor]));
  for (const other of others) {
    if (other.className !== first!.className) return conflict(path, `one stage has ${first!.className}, another ${other.className}`);
    for (const tensor of other.tensors) {
      const known = tensors.get(tensor.name);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(tensor)) {
        return conflict(joinPath(path, tensor.name), "the stages hold it with different dims, dtype or packing");
      }
      tensors.set(tensor.name, tensor);
    }
  }
  return ok({ className: first!.className, tensors: [...tensors.values()] });
}

function mergeAliases(bodies: readonly ShapeBody[]): Result<ShapeBody["aliases"], MergeProblem> {
  const targets = new Map<string, string>();
  for (const { path, target } of bodies.flatMap((body) => body.aliases)) {
    const known = targets.get(path);
    if (known !== undefined && known !== target) return conflict(path, `one stage says it shares "${known}", another "${target}"`);
    targets.set(path, target);
  }
  return ok([...targets].map(([path, target]) => ({ path, target })));
}

function conflict(path: string, detail: string): Result<never, MergeProblem> {
  return err({ kind: "conflict", path, detail: `${path === "" ? "the root" : `"${path}"`}: ${detail}` });
}
