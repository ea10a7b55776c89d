import { expect, test } from "vitest";
import { shapeTable } from "#core/shape/table-text.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";

const table = (body: ShapeBody, name: string) => {
  const text = shapeTable(body, name);
  if (!text.ok) throw new Error(text.error);
  return text.value;
};

test("a small model, whole", () => {
  const body = drawShape(`
    Net
      embed Embedding weight:float32[100,8]
      layers ModuleList
        0..2 Layer
          fc QuantLinear qweight:int32[1,8]/4=64 %scales:float16[1,8] ~table:float32[4]
      norm Norm weight:float6[8]
      head Linear weight:float32[100,8]`, { "head.weight": "embed.weight" });
  expect(table(body, "org/net")).toBe(`org/net
1,000 parameters · 3.3 kB of weights · 11 modules · 1 tensor unsized

module                 dims      dtype    parameters    bytes
Net                                            1,000   3.3 kB
  embed: Embedding                               800   3.2 kB
    weight             [100, 8]  float32         800   3.2 kB
  layers: ModuleList                             192    144 B
    0 … 2: Layer ×3                               64     48 B
      fc: QuantLinear                             64     48 B
        qweight        [1, 8]    int32            64     32 B  4-bit packed
        scales         [1, 8]    float16                 16 B  quantisation state
        table          [4]       float32                 16 B  buffer
  norm: Norm                                       8
    weight             [8]       float6            8  unsized
  head: Linear                                   800   3.2 kB  shares embed.weight
    weight             [100, 8]  float32         800   3.2 kB
`);
});

test("64 layers are one line, each kind of line once", () => {
  const text = table(qwen3(), "Qwen/Qwen3-32B");
  expect(text.match(/Qwen3DecoderLayer/g)).toHaveLength(1);
  expect(text).toMatch(/^ {6}0 … 63: Qwen3DecoderLayer ×64 +487,598,336 +975\.2 MB$/m);
  expect(text).toMatch(/^ {12}weight +\[1024, 5120\] +bfloat16 +5,242,880 +10\.5 MB$/m);
  // Eleven tensors of a layer, the embedding, the norm, two rotary buffers and the head.
  expect(text.split("\n").filter((line) => /\[\d/.test(line))).toHaveLength(16);
});

test("a name of 16,384 characters is shown whole, and makes no other line longer than a column may be", () => {
  const long = "n".repeat(16_384);
  const lines = table(drawShape(`Net\n  ${long} Linear weight:float32[4]\n  head Linear weight:float32[4]`), "x").trimEnd().split("\n").slice(3);
  // Columns of 120, 4, 7, 10 and 5, two blanks between them.
  expect(lines.map((line) => line.length)).toEqual([154, 154, 16_428, 154, 154, 154]);
  expect(lines[2]!.startsWith(`  ${long}: Linear  `)).toBe(true);
});

test("a tree that folding cannot make short is refused with the bound", () => {
  const modules: ShapeBody["modules"] = [{ className: "Leaf", tensors: [], children: [] }];
  for (let row = 1; row <= 18; row++) modules.push({ className: "Pair", tensors: [], children: [{ name: "l", module: row - 1 }, { name: "r", module: row - 1 }] });
  expect(shapeTable({ architecture: "", modules, root: 18, aliases: [] }, "x")).toEqual({ ok: false, error: expect.stringContaining("shapeTextLinesMax = 200000") });
});

test("20,000 siblings that share the first: each line says so", () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `x${i}`);
  const modules = [{ className: "Tied", tensors: [], children: [] }, { className: "Net", tensors: [], children: names.map((name) => ({ name, module: 0 })) }];
  const text = table({ architecture: "", modules, root: 1, aliases: names.slice(1).map((path) => ({ path, target: "x0" })) }, "wide");
  expect(text.split("\n").slice(5, -1).map((line) => line.trim().replace(/ +/g, " "))).toEqual(names.map((name, i) => `${name}: Tied${i === 0 ? "" : " shares x0"}`));
});
