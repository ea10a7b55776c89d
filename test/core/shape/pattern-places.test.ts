import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { countPatterns, tensorPlaces } from "#core/shape/compare/pattern-places.ts";
import { joinPath } from "#core/shape/locate.ts";
import { pathPattern } from "#core/module-path.ts";
import { rowsOfBoth } from "#core/shape/pattern-rows.ts";
import { Steps } from "#core/shape/steps.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";
import { modelObject, shapeOf } from "./shared-objects.ts";

const steps = () => new Steps("compareStepsMax");
const counts = (body: ShapeBody, ...patterns: string[]) => patterns.map((pattern) => countPatterns(body, new Set(patterns), steps()).get(pattern) ?? 0);
const tensors = (a: ShapeBody, b: ShapeBody, patterns: readonly string[]) => tensorPlaces(rowsOfBoth(canonicalShape(a), canonicalShape(b), steps()), new Set(patterns), steps());
const places = (body: ShapeBody, pattern: string) => tensors(body, body, [pattern]).get(pattern);

const body = drawShape(`
  Net
    layers ModuleList
      0 Layer
        a A w:float32[1]
      1..3 Layer
        b B w:float32[1] x:float32[1]
      last Layer
        b B w:float32[1] x:float32[1]`);

test("a pattern counts the modules or tensors it stands for; * is any index and no other name, an index is that one", () => {
  expect(counts(body, "layers", "layers.*", "layers.*.a", "layers.*.b", "layers.*.b.w", "layers.*.b.x", "layers.last.b.x", "layers.*.*", "nothing", "layers.*.b.y")).toEqual([1, 4, 1, 3, 3, 3, 1, 0, 0, 0]);
  expect(counts(body, "layers.3", "layers.3.b.w", "layers.0.b.w", "layers.4", "layers.*.b.w")).toEqual([1, 1, 0, 0, 3]);
});

test("the first and last tensor, past places that lead nowhere", () => {
  expect(places(body, "layers.*.b.x")).toEqual({ first: "layers.1.b.x", last: "layers.3.b.x", copies: 3 });
  expect(places(body, "layers.*.a.w")).toEqual({ first: "layers.0.a.w", last: "layers.0.a.w", copies: 1 });
  expect(places(body, "layers.*.b")).toBeUndefined(); // modules
  expect(places(body, "layers.*.b.y")).toBeUndefined();
});

test("of two shapes only what both have", () => {
  const other = drawShape("Net\n  layers ModuleList\n    2..9 Layer\n      b B x:float32[1]\n      a A w:float32[1]");
  expect(tensors(body, other, ["layers.*.b.x"]).get("layers.*.b.x")).toEqual({ first: "layers.2.b.x", last: "layers.3.b.x", copies: 2 });
  expect(tensors(body, other, ["layers.*.a.w", "layers.*.b.w"]).size).toBe(0);
});

test("2^40 paths cost 40 rows", () => {
  const modules: ShapeBody["modules"] = [drawShape("Leaf w:int8[1]").modules[0]!];
  for (let row = 1; row <= 40; row++) modules.push({ className: "Pair", tensors: [], children: [{ name: "0", module: row - 1 }, { name: "1", module: row - 1 }] });
  const deep = { architecture: "", modules, root: 40, aliases: [] };
  const stars = Array(40).fill("*").join(".");
  expect(counts(deep, stars)).toEqual([2 ** 40]);
  expect(places(deep, `${stars}.w`)).toEqual({ first: `${Array(40).fill("0").join(".")}.w`, last: `${Array(40).fill("1").join(".")}.w`, copies: 2 ** 40 });
  expect(places(deep, `${stars}.weight`)).toBeUndefined();
});

test("parameters of a list are named by index; a name * has the pattern of an index; copies of different rows keep their order", () => {
  const [int8] = drawShape("A w:int8[1]").modules[0]!.tensors;
  const mixed: ShapeBody = {
    architecture: "",
    root: 2,
    modules: [
      { className: "A", tensors: [], children: [] },
      { className: "B", tensors: ["0", "1", "*"].map((name) => ({ ...int8!, name })), children: [] },
      { className: "Net", tensors: [], children: [["*", 1], ["0", 1], ["1", 0], ["x", 0], ["2", 1], ["3", 0]].map(([name, module]) => ({ name: String(name), module: Number(module) })) },
    ],
    aliases: [],
  };
  expect(counts(mixed, "*", "2", "*.*", "2.*", "2.0", "02")).toEqual([5, 1, 9, 3, 1, 0]);
  expect(places(mixed, "*.*")).toEqual({ first: "*.0", last: "2.*", copies: 9 });
  expect(places(mixed, "2.*")).toEqual({ first: "2.0", last: "2.*", copies: 3 });
});

test("many patterns at once say what the unfolded trees say, path by path", () => {
  interface Unfolded { path: string; tensor: boolean }
  const unfold = ({ modules }: ShapeBody, row: number, path: string): Unfolded[] => {
    const { tensors: own, children } = modules[row]!;
    const below = children.flatMap(({ name, module }) => [{ path: joinPath(path, name), tensor: false }, ...unfold({ modules } as ShapeBody, module, joinPath(path, name))]);
    return [...own.map(({ name }) => ({ path: joinPath(path, name), tensor: true })), ...below];
  };
  const matches = (pattern: string, path: string): boolean => {
    const [asked, steps] = [pattern.split("."), path.split(".")];
    return asked.length === steps.length && asked.every((step, i) => step === steps[i] || (step === "*" && /^\d+$/.test(steps[i]!)));
  };
  // Patterns of paths that are there and of the other model's, their indices all, in part or not at all "*".
  const starred = (path: string, bits: number): string => path.split(".").map((step, i) => ((bits >> i) & 1 ? pathPattern(step) : step)).join(".");
  fc.assert(
    fc.property(modelObject(true), modelObject(true), fc.boolean(), fc.array(fc.record({ pick: fc.nat(), bits: fc.integer({ min: 0, max: 255 }) }), { maxLength: 20 }), (one, other, same, picks) => {
      const [a, b] = [shapeOf(one), shapeOf(same ? one : other)];
      const [pathsA, pathsB] = [unfold(a, a.root, ""), unfold(b, b.root, "")];
      const all = [...pathsA, ...pathsB];
      fc.pre(all.length > 0);
      const patterns = [...new Set(picks.map(({ pick, bits }) => starred(all[pick % all.length]!.path, bits)))];
      const inB = new Set(pathsB.filter(({ tensor }) => tensor).map(({ path }) => path));
      const [counted, found] = [countPatterns(a, new Set(patterns), steps()), tensors(a, b, patterns)];
      for (const pattern of patterns) {
        const here = pathsA.filter(({ path }) => matches(pattern, path));
        expect(counted.get(pattern) ?? 0).toBe(here.length);
        const both = here.filter(({ path, tensor }) => tensor && inB.has(path)).map(({ path }) => path);
        expect(found.get(pattern)).toEqual(both.length === 0 ? undefined : { first: both[0], last: both.at(-1), copies: both.length });
      }
    }),
    { numRuns: 500 },
  );
});
