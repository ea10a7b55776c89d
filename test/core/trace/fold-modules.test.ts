import { describe, expect, test } from "vitest";
import { executionRecordOf } from "#core/trace/execution-record.ts";
import { foldModules } from "#core/trace/fold-modules.ts";
import { importDocument, kernel, launch, module } from "./trace-text.ts";

// A tree as indented text, every module called once; `name: Class` gives a recorded path, a class alone does not.
async function folded(drawing: string): Promise<string[]> {
  const lines = drawing.split("\n").filter((line) => line.trim() !== "");
  const margin = lines[0]!.search(/\S/);
  const path: string[] = [];
  const events: ReturnType<typeof module>[] = [];
  const map: Record<string, { path: string; class: string }> = {};
  lines.forEach((line, i) => {
    const depth = (line.search(/\S/) - margin) / 2;
    const end = lines.findIndex((other, j) => j > i && (other.search(/\S/) - margin) / 2 <= depth);
    const [attribute, className = attribute] = line.trim().split(": ") as [string, string?];
    path.splice(depth, path.length, attribute);
    events.push(module(`${className}_${i}`, [10 * i + depth, 10 * (end < 0 ? lines.length : end) - 1 - depth]));
    if (line.includes(": ")) map[`nn.Module: ${className}_${i}`] = { path: depth === 0 ? "" : path.slice(1).join("."), class: className };
  });
  const execution = await importDocument({ traceEvents: [...events, launch(1, [5, 6]), kernel(1, [9, 10])], lamella_module_map: map });
  const record = executionRecordOf(execution);
  return foldModules(record).map(({ rows, depth, ownCopies }) => `${"  ".repeat(depth)}${record.texts[record.modules.name[rows[0]!]!]!.trim()}${ownCopies > 1 ? ` ×${ownCopies}` : ""} (${rows.length})`);
}

describe("folding by structure", () => {
  test("two dense layers before four MoE layers of the same class are two runs", async () => {
    const layer = (i: number, mlp: string) => `  layers.${i}: Layer\n    attn: Attention\n    mlp: ${mlp}`;
    expect(await folded(["net: Net", ...[0, 1].map((i) => layer(i, "Dense")), ...[2, 3, 4, 5].map((i) => layer(i, "MoE"))].join("\n"))).toEqual([
      "Net (1)", "  Layer layers.0 ×2 (2)", "    Attention layers.0.attn (2)", "    Dense layers.0.mlp (2)", "  Layer layers.2 ×4 (4)", "    Attention layers.2.attn (4)", "    MoE layers.2.mlp (4)",
    ]);
  });
  test("q, k and v are three Linear, not one ×3; the layers around them fold", async () => {
    const block = "  Block\n    Linear\n    Linear\n    Linear";
    expect(await folded(["Net", block, block].join("\n"))).toEqual(["Net[0] (1)", "  Block[0] ×2 (2)", "    Linear[0] (2)", "    Linear[1] (2)", "    Linear[2] (2)"]);
  });
  test("a wrapper with one child around the layers does not hide them; experts fold inside folded layers", async () => {
    const layer = (i: number) => `    layers.${i}: Layer\n      experts.0: Expert\n      experts.1: Expert\n      experts.2: Expert`;
    expect(await folded(["w: Wrapper", "  model: Net", layer(0), layer(1)].join("\n"))).toEqual([
      "Wrapper (1)", "  Net model (1)", "    Layer model.layers.0 ×2 (2)", "      Expert model.layers.0.experts.0 ×3 (6)",
    ]);
  });
});

test("150,000 modules side by side", async () => {
  const record = executionRecordOf(await importDocument({ traceEvents: [module("Net_0", [0, 100]), launch(1, [5, 6]), kernel(1, [9, 10])] }));
  const many = Array.from({ length: 150_000 }, () => 0);
  const { modules } = record;
  const wide = { ...record, modules: { ...modules, parent: [-1, ...many], path: [...modules.path, ...many], class: [...modules.class, ...many] } };
  expect(foldModules(wide)).toHaveLength(150_001);
});
