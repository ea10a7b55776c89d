import { expect, test } from "vitest";
import { checkLayout, layoutId, layoutOf, layoutText, mergeLayouts, singleRank, type Stage } from "#core/shape/layout.ts";
import { pathPattern } from "#core/module-path.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { sha256Hex } from "#core/sha256.ts";
import { drawShape } from "./draw-shape.ts";

function stage(picture: string, layout: Partial<ShapeLayout>): Stage {
  return { body: drawShape(picture), layout: { ...singleRank(), ...layout } };
}

function merged(stages: Stage[]): ShapeLayout {
  const result = mergeLayouts(stages);
  if (!result.ok) throw new Error(result.error.detail);
  return result.value;
}

const first = `
Net
  embed Embedding w:float32[8,4]
  layers List
    0 Layer w:float32[4,4]
    1 Layer w:float32[4,4]`;
const last = `
Net
  layers List
    2 Layer w:float32[4,4]
    3 Layer w:float32[4,4]
  head Linear w:float32[8,4]`;

test("a pattern that holds in every stage that has such tensors stays a pattern, whatever order the stages come in", () => {
  const stages = [
    stage(first, { tpSize: 4, ppSize: 2, sharded: [{ path: "layers.*.w", dim: 0 }, { path: "embed.w", dim: 0 }], padded: [{ path: "embed.w", dim: 0, size: 64 }] }),
    stage(last, { tpSize: 4, ppSize: 2, epSize: 8, sharded: [{ path: "layers.*.w", dim: 0 }, { path: "head.w", dim: 1 }], replicated: [{ path: "head.w", replicas: 2 }] }),
  ];
  const whole: ShapeLayout = {
    tpSize: 4,
    ppSize: 2,
    epSize: 8,
    dpSize: 1,
    sharded: [{ path: "embed.w", dim: 0 }, { path: "head.w", dim: 1 }, { path: "layers.*.w", dim: 0 }],
    padded: [{ path: "embed.w", dim: 0, size: 64 }],
    replicated: [{ path: "head.w", replicas: 2 }],
    aliases: [],
  };
  expect(merged(stages)).toEqual(whole);
  expect(layoutText(merged([...stages].reverse()))).toBe(layoutText(whole));
});

test("what only one stage says of its layers is said path by path", () => {
  const stages = [stage(first, { sharded: [{ path: "layers.*.w", dim: 1 }] }), stage(last, {})];
  expect(merged(stages).sharded).toEqual([{ path: "layers.0.w", dim: 1 }, { path: "layers.1.w", dim: 1 }]);
  const two = [stage(first, { sharded: [{ path: "layers.*.w", dim: 1 }] }), stage(last, { sharded: [{ path: "layers.*.w", dim: 0 }] })];
  expect(merged(two).sharded.map(({ path, dim }) => `${path} ${dim}`)).toEqual(["layers.0.w 1", "layers.1.w 1", "layers.2.w 0", "layers.3.w 0"]);
});

test("stages that differ in more tensors than a model may have are refused before they are written out", () => {
  const deep = `
Net
  a List
    0..99 List
      0..99 List
        0..99 Layer w:float32[4,4]`;
  const [split, whole] = [stage(deep, { sharded: [{ path: "a.*.*.*.w", dim: 0 }] }), stage(deep, {})];
  expect(mergeLayouts([split, whole])).toMatchObject({ ok: false, error: { code: "limit_exceeded", detail: expect.stringContaining("tensorsPerShapeMax") } });
  expect(merged([split, split]).sharded).toEqual([{ path: "a.*.*.*.w", dim: 0 }]);
});

test("a layout speaks of tensors that are there and of dimensions they have", () => {
  const { body } = stage(first, {});
  const say = (layout: Partial<ShapeLayout>) => checkLayout(body, { ...singleRank(), ...layout })?.detail;
  expect(say({ sharded: [{ path: "layers.*.w", dim: 1 }, { path: "layers.1.w", dim: 0 }], padded: [{ path: "embed.w", dim: 0, size: 64 }] })).toBeUndefined();
  expect(say({ sharded: [{ path: "layers.*.v", dim: 0 }] })).toBe('layout: "layers.*.v" names no tensor');
  expect(say({ replicated: [{ path: "layers.7.w", replicas: 2 }] })).toBe('layout: "layers.7.w" names no tensor');
  expect(say({ sharded: [{ path: "embed.w", dim: 2 }] })).toBe('layout: dimension 2 of "embed.w", which has 2');
});

test("the parameters of a list are patterns too", () => {
  const list = "Net\n  scales ParameterList 0:float32[4] 1:float32[4,2]";
  const { body } = stage(list, {});
  const say = (path: string, dim: number) => checkLayout(body, { ...singleRank(), sharded: [{ path, dim }] })?.detail;
  expect([say("scales.*", 0), say("scales.*", 1), say("scales.1", 1)]).toEqual([undefined, undefined, undefined]);
  expect(say("scales.*", 2)).toBe('layout: dimension 2 of "scales.*", which has 2');
  expect(say("scales.0", 1)).toBe('layout: dimension 1 of "scales.0", which has 1');
  expect(say("scales.2", 0)).toBe('layout: "scales.2" names no tensor');
  expect(merged([stage(list, { sharded: [{ path: "scales.*", dim: 0 }] }), stage(list, {})]).sharded).toEqual([{ path: "scales.0", dim: 0 }, { path: "scales.1", dim: 0 }]);
});

test("a pattern has * for every index, not for some", () => {
  const { body } = stage("Net\n  layers List\n    0..1 Layer\n      experts List\n        0..3 Expert w:float32[4]", {});
  const say = (path: string) => checkLayout(body, { ...singleRank(), sharded: [{ path, dim: 0 }] })?.detail;
  expect([say("layers.*.experts.*.w"), say("layers.1.experts.3.w")]).toEqual([undefined, undefined]);
  expect(say("layers.1.experts.*.w")).toBe('layout: "layers.1.experts.*.w" names no tensor');
});

test("the tree is not unfolded to check a layout: 2^20 leaves below a path of a megabyte, all by name", () => {
  const { body } = stage("Leaf w:float32[4]", {});
  for (let row = 0; row < 20; row++) body.modules.push({ className: "Pair", tensors: [], children: ["l", "r"].map((name) => ({ name, module: row })) });
  for (let row = 20; row < 120; row++) body.modules.push({ className: "Long", tensors: [], children: [{ name: "n".repeat(10_000), module: row }] });
  expect(checkLayout({ ...body, root: 120 }, singleRank())).toBeUndefined();
  expect(checkLayout({ ...body, root: 20 }, { ...singleRank(), sharded: [{ path: `${"r.".repeat(20)}w`, dim: 0 }] })).toBeUndefined();
});

test("patterns that each go through all rows for themselves are refused with the bound", () => {
  const { body } = stage("A w:int8[1]", {});
  const leaves = Array.from({ length: 6_000 }, (_, i) => ({ className: `C${i}`, tensors: [{ ...body.modules[0]!.tensors[0]!, name: `w${i % 1_000}` }], children: [] }));
  const list = { className: "List", tensors: [], children: leaves.map((_, module) => ({ name: String(module), module })) };
  const wide = { ...body, modules: [...leaves, list, { className: "Net", tensors: [], children: Array.from({ length: 1_000 }, (_, i) => ({ name: `x${i}`, module: 6_000 })) }], root: 6_001 };
  const sharded = Array.from({ length: 1_000 }, (_, i) => ({ path: `x${i}.*.w${i}`, dim: 0 }));
  expect(checkLayout(wide, { ...singleRank(), sharded })).toMatchObject({ code: "limit_exceeded", detail: expect.stringContaining("layoutStepsMax = ") });
  expect(checkLayout(wide, { ...singleRank(), sharded: sharded.slice(0, 10) })).toBeUndefined();
});

test("one text, one id: sizes, then each fact on a line by the bytes of its path", () => {
  const layout: ShapeLayout = { ...singleRank(), tpSize: 4, sharded: [{ path: "b.w", dim: 1 }, { path: "a%.w", dim: 0 }], padded: [{ path: "e.w", dim: 0, size: 152_064 }], replicated: [{ path: "k.w", replicas: 2 }], aliases: [{ path: "l.1.rope", target: "l.0.rope" }] };
  const text = "lamella-layout\t1\nsizes\t4\t1\t1\t1\ns\ta%25.w\t0\ns\tb.w\t1\np\te.w\t0\t152064\nr\tk.w\t2\na\tl.1.rope\tl.0.rope\n";
  expect(layoutText(layout)).toBe(text);
  expect(layoutId(layout)).toBe(sha256Hex(text));
});

test("a tensor is found by its path and by its pattern", () => {
  const at = layoutOf({ ...singleRank(), sharded: [{ path: "layers.*.w", dim: 0 }, { path: "layers.3.experts.w", dim: 2 }, { path: "layers.3.experts.w", dim: 0 }], padded: [{ path: "embed.w", dim: 0, size: 64 }], replicated: [{ path: "layers.*.w", replicas: 2 }] });
  expect(at("layers.17.w")).toEqual({ sharded: [0], padded: [], replicas: 2 });
  expect(at("layers.3.experts.w")).toEqual({ sharded: [2, 0], padded: [], replicas: 1 });
  expect(at("embed.w")).toEqual({ sharded: [], padded: [{ dim: 0, size: 64 }], replicas: 1 });
  expect(at("norm.w")).toEqual({ sharded: [], padded: [], replicas: 1 });
  expect(pathPattern("h.0.1.layer_2.w")).toBe("h.*.*.layer_2.w");
});

test("nothing known is one rank", () => {
  expect(merged([])).toEqual({ tpSize: 1, ppSize: 1, epSize: 1, dpSize: 1, sharded: [], padded: [], replicated: [], aliases: [] });
});
