// How a deployment holds a model: parallel sizes, and per tensor what differs from its logical sizes. Beside the shape, never in its identity.
// A fact is written for a pattern of paths, every index in it "*", when it is true of all tensors of the model the pattern stands for, else for each path by
// itself; so 64 layers are one line, and one layout has one text (docs/shape-format.md).
import type { ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "../result.ts";
import { sha256Hex } from "../sha256.ts";
import { compareAsUtf8 } from "./canonical.ts";
import { isIndex } from "./frame-name.ts";
import { joinPath, locator } from "./locate.ts";
import { escapeField } from "./module-text.ts";
import type { ShapeLayout } from "./part.ts";
import { overLimit, type ShapeProblem, undecodable } from "./problem.ts";

export function singleRank(): ShapeLayout {
  return { tpSize: 1, ppSize: 1, epSize: 1, dpSize: 1, sharded: [], padded: [], replicated: [], aliases: [] };
}

export function pathPattern(path: string): string {
  return path.split(".").map((step) => (isIndex(step) ? "*" : step)).join(".");
}

export interface Stage {
  readonly body: ShapeBody;
  readonly layout: ShapeLayout;
}

// One layout of the whole model from those of its pipeline stages, in any order. A stage that does not know a size says 1. A problem when stages differ so much
// that more facts must be said path by path than a shape may have tensors.
export function mergeLayouts(stages: readonly Stage[]): Result<ShapeLayout, ShapeProblem> {
  const whole = singleRank();
  for (const { layout } of stages) {
    whole.tpSize = Math.max(whole.tpSize, layout.tpSize);
    whole.ppSize = Math.max(whole.ppSize, layout.ppSize);
    whole.epSize = Math.max(whole.epSize, layout.epSize);
    whole.dpSize = Math.max(whole.dpSize, layout.dpSize);
  }
  const patterns = stages.map(({ body }) => (stages.length > 1 ? tensorPatterns(body) : new Map<string, number>()));
  let expanded = 0;
  const merged = <Fact extends { path: string }>(factsOf: (layout: ShapeLayout) => readonly Fact[]): Fact[] => {
    const said = stages.map(({ layout }) => new Set(factsOf(layout).map(factKey)));
    const facts = new Map<string, Fact>();
    for (const { body, layout } of stages) {
      for (const fact of factsOf(layout)) {
        // What another stage does not say of its own tensors of that pattern is true of this stage's paths only.
        const everywhere = stages.every((_, other) => !patterns[other]!.has(fact.path) || said[other]!.has(factKey(fact)));
        const paths = everywhere || !fact.path.includes("*") ? [fact.path] : pathsOf(body, fact.path, limits.tensorsPerShapeMax - expanded);
        expanded += paths.length > 1 ? paths.length : 0;
        for (const path of paths) facts.set(factKey({ ...fact, path }), { ...fact, path });
      }
    }
    return sorted([...facts.values()]);
  };
  whole.sharded = merged(({ sharded }) => sharded);
  whole.padded = merged(({ padded }) => padded);
  whole.replicated = merged(({ replicated }) => replicated);
  whole.aliases = sorted(stages.flatMap(({ layout }) => layout.aliases));
  return expanded < limits.tensorsPerShapeMax ? ok(whole) : err(overLimit("layout: facts that hold in one stage only", expanded, "tensorsPerShapeMax"));
}

// Every fact is of a tensor that is there, and of a dimension it has.
export function checkLayout(body: ShapeBody, { sharded, padded, replicated }: ShapeLayout): ShapeProblem | undefined {
  const ranks = tensorPatterns(body);
  const locate = locator(body);
  for (const fact of [...sharded, ...padded, ...replicated] as { path: string; dim?: number }[]) {
    const place = fact.path.includes("*") ? undefined : locate(fact.path);
    const rank = place?.tensor === undefined ? ranks.get(fact.path) : body.modules[place.module]!.tensors[place.tensor]!.dims.length;
    if (rank === undefined) return undecodable(`layout: "${fact.path.slice(0, 200)}" names no tensor`);
    if (fact.dim !== undefined && fact.dim >= rank) return undecodable(`layout: dimension ${fact.dim} of "${fact.path.slice(0, 200)}", which has ${rank}`);
  }
  return undefined;
}

export interface HeldTensor {
  sharded: number[]; // dimensions it is split along
  padded: { dim: number; size: number }[];
  replicas: number; // 1 = every rank holds its own part
}

// What the layout says of one tensor.
export function layoutOf(layout: ShapeLayout): (tensorPath: string) => HeldTensor {
  const held = new Map<string, HeldTensor>();
  const at = (path: string): HeldTensor => {
    const known = held.get(path);
    if (known !== undefined) return known;
    const fresh: HeldTensor = { sharded: [], padded: [], replicas: 1 };
    held.set(path, fresh);
    return fresh;
  };
  for (const { path, dim } of layout.sharded) at(path).sharded.push(dim);
  for (const { path, dim, size } of layout.padded) at(path).padded.push({ dim, size });
  for (const { path, replicas } of layout.replicated) at(path).replicas = replicas;
  return (path) => {
    const [exact, pattern] = [held.get(path), held.get(pathPattern(path))];
    if (exact === undefined || pattern === undefined || exact === pattern) return exact ?? pattern ?? { sharded: [], padded: [], replicas: 1 };
    return { sharded: [...exact.sharded, ...pattern.sharded], padded: [...exact.padded, ...pattern.padded], replicas: Math.max(exact.replicas, pattern.replicas) };
  };
}

export function layoutText({ tpSize, ppSize, epSize, dpSize, sharded, padded, replicated, aliases }: ShapeLayout): string {
  const lines = ["lamella-layout\t1", ["sizes", tpSize, ppSize, epSize, dpSize].join("\t")];
  for (const { path, dim } of sorted(sharded)) lines.push(["s", escapeField(path), dim].join("\t"));
  for (const { path, dim, size } of sorted(padded)) lines.push(["p", escapeField(path), dim, size].join("\t"));
  for (const { path, replicas } of sorted(replicated)) lines.push(["r", escapeField(path), replicas].join("\t"));
  for (const { path, target } of sorted(aliases)) lines.push(["a", escapeField(path), escapeField(target)].join("\t"));
  return `${lines.join("\n")}\n`;
}

export function layoutId(layout: ShapeLayout): string {
  return sha256Hex(layoutText(layout));
}

function factKey(fact: { path: string; dim?: number; size?: number; replicas?: number }): string {
  return [fact.path, fact.dim, fact.size, fact.replicas].join("\t");
}

function sorted<Fact extends { path: string; dim?: number }>(facts: readonly Fact[]): Fact[] {
  return [...facts].sort((a, b) => compareAsUtf8(a.path, b.path) || (a.dim ?? 0) - (b.dim ?? 0));
}

// The patterns of all tensors of a model → the most dimensions one of them has. A row is met once for each pattern of path that leads to it, not once for each
// path.
function tensorPatterns(body: ShapeBody): Map<string, number> {
  const patterns = new Map<string, number>();
  const met = new Set<string>();
  const open: { row: number; pattern: string }[] = [{ row: body.root, pattern: "" }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { tensors, children } = body.modules[top.row]!;
    for (const { name, dims } of tensors) {
      const pattern = joinPath(top.pattern, name);
      patterns.set(pattern, Math.max(patterns.get(pattern) ?? 0, dims.length));
    }
    for (const { name, module } of children) {
      const pattern = joinPath(top.pattern, isIndex(name) ? "*" : name);
      const key = `${module} ${pattern}`;
      if (!met.has(key)) open.push({ row: module, pattern });
      met.add(key);
    }
  }
  return patterns;
}

// All paths of tensors that a pattern stands for; of more than `max` only so many that they are too many.
function pathsOf(body: ShapeBody, pattern: string, max: number): string[] {
  const steps = pattern.split(".");
  const tensorName = steps.pop()!;
  let places = [{ row: body.root, path: "" }];
  for (const step of steps) {
    const next: typeof places = [];
    for (const { row, path } of places) {
      for (const { name, module } of body.modules[row]!.children) {
        if (step === "*" ? isIndex(name) : name === step) next.push({ row: module, path: joinPath(path, name) });
        if (next.length > max) return next.map((place) => joinPath(place.path, tensorName));
      }
    }
    places = next;
  }
  return places.filter(({ row }) => body.modules[row]!.tensors.some(({ name }) => name === tensorName)).map(({ path }) => joinPath(path, tensorName));
}
