// How a deployment holds a model: parallel sizes, and per tensor what differs from its logical sizes. Beside the shape, never in its identity.
// A fact is written for a pattern of paths, every index in it "*", when it is true of all tensors of the model the pattern stands for, else for each path by
// itself; so 64 layers are one line, and one layout has one text (docs/shape-format.md).
import type { ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "../result.ts";
import { sha256Hex } from "../sha256.ts";
import { compareAsUtf8 } from "./canonical.ts";
import { isIndex, pathPattern } from "../module-path.ts";
import { joinPath } from "./locate.ts";
import { escapeField } from "./module-text.ts";
import type { ShapeLayout } from "./part.ts";
import { rowsOf } from "./pattern-rows.ts";
import { walkPatterns } from "./pattern-walk.ts";
import { overLimit, type ShapeProblem, undecodable } from "./problem.ts";
import { Steps, TooManySteps } from "./steps.ts";

export function singleRank(): ShapeLayout {
  return { tpSize: 1, ppSize: 1, epSize: 1, dpSize: 1, sharded: [], padded: [], replicated: [], aliases: [] };
}

export interface Stage {
  readonly body: ShapeBody;
  readonly layout: ShapeLayout;
}

// One layout of the whole model from those of its pipeline stages, in any order. A stage that does not know a size says 1. A problem when stages differ so much
// that more facts must be said path by path than a shape may have tensors.
export function mergeLayouts(stages: readonly Stage[]): Result<ShapeLayout, ShapeProblem> {
  return withinSteps((steps) => mergedLayouts(stages, steps));
}

function mergedLayouts(stages: readonly Stage[], steps: Steps): Result<ShapeLayout, ShapeProblem> {
  const whole = singleRank();
  for (const { layout } of stages) {
    whole.tpSize = Math.max(whole.tpSize, layout.tpSize);
    whole.ppSize = Math.max(whole.ppSize, layout.ppSize);
    whole.epSize = Math.max(whole.epSize, layout.epSize);
    whole.dpSize = Math.max(whole.dpSize, layout.dpSize);
  }
  const patterns = new Set(stages.flatMap(({ layout }) => factsOf(layout).map(({ path }) => path)).filter((path) => path.includes("*")));
  const held = stages.map(({ body }) => (stages.length > 1 ? tensorRanks(body, patterns, steps) : new Map<string, number>()));
  let expanded = 0;
  const merged = <Fact extends { path: string }>(those: (layout: ShapeLayout) => readonly Fact[]): Fact[] => {
    const said = stages.map(({ layout }) => new Set(those(layout).map(factKey)));
    const facts = new Map<string, Fact>();
    for (const { body, layout } of stages) {
      for (const fact of those(layout)) {
        // What another stage does not say of its own tensors of that pattern is true of this stage's paths only.
        const everywhere = !fact.path.includes("*") || stages.every((_, other) => !held[other]!.has(fact.path) || said[other]!.has(factKey(fact)));
        const paths = everywhere ? [fact.path] : pathsOf(body, fact.path, limits.tensorsPerShapeMax - expanded, steps);
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
export function checkLayout(body: ShapeBody, layout: ShapeLayout): ShapeProblem | undefined {
  const facts = factsOf(layout);
  const ranks = withinSteps((steps) => ok(tensorRanks(body, new Set(facts.map(({ path }) => path)), steps)));
  if (!ranks.ok) return ranks.error;
  for (const { path, dim } of facts) {
    const rank = path.includes("*") && path !== pathPattern(path) ? undefined : ranks.value.get(path);
    if (rank === undefined) return undecodable(`layout: "${path.slice(0, 200)}" names no tensor`);
    if (dim !== undefined && dim >= rank) return undecodable(`layout: dimension ${dim} of "${path.slice(0, 200)}", which has ${rank}`);
  }
  return undefined;
}

export interface HeldTensor {
  sharded: number[]; // dimensions it is split along
  padded: { dim: number; size: number }[];
  replicas: number; // 1 = every rank holds its own part
}

// What the layout says of one tensor.
export function layoutOf(layout: ShapeLayout): (tensorPath: string, pattern?: string) => HeldTensor {
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
  for (const { path, replicas } of layout.replicated) at(path).replicas = Math.max(1, replicas);
  return (path, itsPattern = pathPattern(path)) => {
    const [exact, pattern] = [held.get(path), held.get(itsPattern)];
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

function factsOf({ sharded, padded, replicated }: ShapeLayout): { path: string; dim?: number }[] {
  return [...sharded, ...padded, ...replicated];
}

// By path or pattern: the most dimensions of a tensor that it stands for; one that stands for none is absent.
function tensorRanks(body: ShapeBody, patterns: ReadonlySet<string>, steps: Steps): Map<string, number> {
  const ranks = new Map<string, number>();
  walkPatterns(rowsOf(body, steps), patterns, "first", steps, ({ pattern, held }) => {
    for (const { dims } of held.tensors) ranks.set(pattern, Math.max(ranks.get(pattern) ?? 0, dims.length));
  });
  return ranks;
}

// All paths of tensors that a pattern stands for; of more than `max` only so many that they are too many.
function pathsOf(body: ShapeBody, pattern: string, max: number, steps: Steps): string[] {
  const names = pattern.split(".");
  const tensorName = names.pop()!;
  const matches = (step: string, name: string): boolean => name === step || (step === "*" && isIndex(name));
  let places = [{ row: body.root, path: "" }];
  for (const step of names) {
    const next: typeof places = [];
    for (const { row, path } of places) {
      const { children } = body.modules[row]!;
      steps.take(children.length * nameSteps);
      for (const { name, module } of children) {
        if (matches(step, name)) next.push({ row: module, path: joinPath(path, name) });
        if (next.length > max) return next.map((place) => joinPath(place.path, tensorName));
      }
    }
    places = next;
  }
  return places.flatMap(({ row, path }) => body.modules[row]!.tensors.filter(({ name }) => matches(tensorName, name)).map(({ name }) => joinPath(path, name)));
}

const nameSteps = 5; // to see whether a pattern goes through a child

function withinSteps<Value>(run: (steps: Steps) => Result<Value, ShapeProblem>): Result<Value, ShapeProblem> {
  try {
    return run(new Steps("layoutStepsMax"));
  } catch (error) {
    if (error instanceof TooManySteps) return err({ code: "limit_exceeded", detail: `layout: to find the tensors of its patterns takes ${error.message}` });
    throw error;
  }
}
