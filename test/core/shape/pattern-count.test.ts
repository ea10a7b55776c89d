import { expect, test } from "vitest";
import { countOfPattern, edgeOfPattern } from "#core/shape/compare/pattern-count.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";

const body = drawShape(`
  Net
    layers ModuleList
      0 Layer
        a A w:float32[1]
      1..3 Layer
        b B w:float32[1] x:float32[1]
      last Layer
        b B w:float32[1] x:float32[1]`);

test("a pattern counts the modules or tensors it stands for; * is any index and no other name", () => {
  const counts = ["", "layers", "layers.*", "layers.*.a", "layers.*.b", "layers.*.b.w", "layers.*.b.x", "layers.last.b.x", "layers.*.*", "nothing", "layers.*.b.y"].map((pattern) => countOfPattern(body, pattern));
  expect(counts).toEqual([1, 1, 4, 1, 3, 3, 3, 1, 0, 0, 0]);
});

test("its first and last path, past places that lead nowhere", () => {
  const edges = (pattern: string) => [edgeOfPattern(body, pattern, "first"), edgeOfPattern(body, pattern, "last")];
  expect(edges("layers.*.b.x")).toEqual(["layers.1.b.x", "layers.3.b.x"]);
  expect(edges("layers.*.a")).toEqual(["layers.0.a", "layers.0.a"]);
  expect(edges("layers.*")).toEqual(["layers.0", "layers.3"]);
  expect(edges("layers.*.b.y")).toEqual([undefined, undefined]);
});

test("2^40 paths cost 40 rows", () => {
  const modules: ShapeBody["modules"] = [{ className: "Leaf", tensors: [], children: [] }];
  for (let row = 1; row <= 40; row++) modules.push({ className: "Pair", tensors: [], children: [{ name: "0", module: row - 1 }, { name: "1", module: row - 1 }] });
  const deep = { architecture: "", modules, root: 40, aliases: [] };
  const stars = Array(40).fill("*").join(".");
  expect(countOfPattern(deep, stars)).toBe(2 ** 40);
  expect(edgeOfPattern(deep, stars, "last")).toBe(Array(40).fill("1").join("."));
  expect(edgeOfPattern(deep, `${stars}.weight`, "first")).toBeUndefined();
});

test("a child or tensor named * is no index; an index is also a name; copies of different rows keep their order", () => {
  const mixed: ShapeBody = {
    architecture: "",
    root: 2,
    modules: [
      { className: "A", tensors: [], children: [] },
      { className: "B", tensors: [{ name: "*", role: "parameter", dtype: "int8", dims: [1], packedBits: 0, logicalNumel: 0, bytes: 0 }], children: [] },
      { className: "Net", tensors: [], children: [["*", 1], ["0", 1], ["1", 0], ["x", 0], ["2", 1], ["3", 0]].map(([name, module]) => ({ name: String(name), module: Number(module) })) },
    ],
    aliases: [],
  };
  const edges = (pattern: string) => [countOfPattern(mixed, pattern), edgeOfPattern(mixed, pattern, "first"), edgeOfPattern(mixed, pattern, "last")];
  expect(edges("*")).toEqual([4, "0", "3"]);
  expect(edges("2")).toEqual([1, "2", "2"]);
  expect(edges("*.*")).toEqual([2, "0.*", "2.*"]);
  expect(edges("02")).toEqual([0, undefined, undefined]);
});
