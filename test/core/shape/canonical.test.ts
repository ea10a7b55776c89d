import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { canonicalShape, shapeText, verifyPart } from "#core/shape/canonical.ts";
import { moduleHashes, moduleText } from "#core/shape/module-text.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import type { ShapeBody, TensorRow } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";

interface Fixture {
  name: string;
  modules: { className: string; tensors: (Omit<TensorRow, "role" | "bytes"> & { role: "p" | "b" | "q" })[]; children: { name: string; module: number }[] }[];
  root: number;
  aliases: ShapeBody["aliases"];
  text: string[];
  moduleHashes: string[];
  shapeId: string;
  parameters: number;
  weightBytes: number;
  modules_in_tree: number;
}

const folder = new URL("../../../schema/fixtures/shapes/", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
const roleOf = { p: "parameter", b: "buffer", q: "quant_state" } as const;

function bodyOf({ modules, root, aliases }: Fixture): ShapeBody {
  const rows = modules.map((module) => ({ ...module, tensors: module.tensors.map((tensor) => ({ ...tensor, role: roleOf[tensor.role], bytes: 0 })) }));
  return { architecture: "", modules: rows, root, aliases };
}

describe("schema/fixtures/shapes, the same files the Python reader is held to", () => {
  test("there are some", () => expect(files.length).toBeGreaterThan(5));

  test.each(files)("%s", (file) => {
    const fixture = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Fixture;
    const body = bodyOf(fixture);
    const hashes = moduleHashes(body.modules);
    expect(shapeText(hashes[body.root]!, body.aliases)).toBe(fixture.text[0]);
    expect(body.modules.map((module) => moduleText(module, hashes))).toEqual(fixture.text.slice(1));
    expect(hashes).toEqual(fixture.moduleHashes);
    expect(canonicalShape(body).shapeId).toBe(fixture.shapeId);
    expect(shapeTotals(body)).toMatchObject({ parameters: fixture.parameters, weightBytes: fixture.weightBytes, modules: fixture.modules_in_tree });
  });
});

describe("one body for one shape", () => {
  const twoOrders: [ShapeBody, ShapeBody] = [
    drawShape(`
      Net
        a Linear weight:float32[2,2]
        b Norm weight:float32[2]`),
    {
      architecture: "",
      modules: [
        { className: "Norm", tensors: [{ name: "weight", role: "parameter", dtype: "float32", dims: [2], packedBits: 0, logicalNumel: 0, bytes: 8 }], children: [] },
        { className: "Linear", tensors: [{ name: "weight", role: "parameter", dtype: "float32", dims: [2, 2], packedBits: 0, logicalNumel: 0, bytes: 16 }], children: [] },
        { className: "Net", tensors: [], children: [{ name: "a", module: 1 }, { name: "b", module: 0 }] },
      ],
      root: 2,
      aliases: [],
    },
  ];

  test("whatever the order of the rows", () => {
    expect(canonicalShape(twoOrders[0])).toEqual(canonicalShape(twoOrders[1]));
  });

  test("64 equal layers are one row, even when they were sent as 64", () => {
    const layer = { className: "Layer", tensors: [], children: [] };
    const modules = [...Array.from({ length: 64 }, () => layer), { className: "ModuleList", tensors: [], children: Array.from({ length: 64 }, (_, i) => ({ name: String(i), module: i })) }];
    expect(canonicalShape({ architecture: "", modules, root: 64, aliases: [] }).body.modules.map(({ className }) => className)).toEqual(["Layer", "ModuleList"]);
  });

  test("aliases are sorted, and name the shape", () => {
    const picture = `
      Net
        a Linear weight:float32[2,2]
        b Linear weight:float32[2,2]
        c Linear weight:float32[2,2]`;
    const [forth, back] = [drawShape(picture, { b: "a", c: "a" }), drawShape(picture, { c: "a", b: "a" })];
    expect(canonicalShape(forth)).toEqual(canonicalShape(back));
    expect(canonicalShape(forth).shapeId).not.toBe(canonicalShape(drawShape(picture)).shapeId);
  });
});

describe("the hash that comes with a part", () => {
  const part = { agentVersion: "", modelKey: "0".repeat(32), ppRank: 0, ppSize: 1, body: qwen3(), layout: { tpSize: 1, ppSize: 1, epSize: 1, dpSize: 1, sharded: [], padded: [], replicated: [], aliases: [] } };

  test("is accepted when it is that of the canonical text", () => {
    const { shapeId } = canonicalShape(qwen3());
    const verified = verifyPart({ ...part, partHash: shapeId });
    expect(verified.ok && verified.value.shapeId).toBe(shapeId);
    expect(verified.ok && verified.value.body.modules.length).toBe(17); // 967 modules, 17 distinct
  });

  test("is refused otherwise, and both hashes are named", () => {
    const verified = verifyPart({ ...part, partHash: "f".repeat(64) });
    expect(verified).toMatchObject({ ok: false, error: { code: "shape_hash_mismatch" } });
    expect(!verified.ok && verified.error.detail).toContain(canonicalShape(qwen3()).shapeId);
  });
});
