// The module tree as rows: what is open at first, what keys do, and how a path of any copy leads to its row.
import { describe, expect, test } from "vitest";
import { moduleNodes, reveal, shapeFacts, type ModuleNode } from "#dashboard/pages/model/module-nodes.ts";
import { treeMove } from "#dashboard/parts/tree-move.ts";
import { toggle, treeAtFirst, unfold } from "#dashboard/pages/model/tree-state.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";

const facts = shapeFacts(
  drawShape(
    `
  Qwen3ForCausalLM
    model Qwen3Model
      embed_tokens Embedding weight:bfloat16[100,8]
      layers ModuleList
        0..63 Qwen3DecoderLayer
          self_attn Qwen3Attention
            q_proj Linear weight:bfloat16[8,8]
            k_proj Linear weight:bfloat16[8,8]
          mlp Qwen3MLP
            down_proj Linear weight:bfloat16[8,8]
      norm Qwen3RMSNorm weight:bfloat16[8]
    lm_head Linear weight:bfloat16[100,8]
`,
    { "lm_head.weight": "model.embed_tokens.weight" },
  ),
);

const nodes = (toggled: readonly string[] = [], state = treeAtFirst) => moduleNodes(facts, "Qwen/Qwen3-32B", toggle(state, toggled));
const drawn = (rows: readonly ModuleNode[]) =>
  rows.map(
    (node) =>
      `${"  ".repeat(node.level - 1)}${node.label} ${node.className}${node.repeat > 1 ? ` ×${node.repeat}` : ""}${node.open === false ? " +" : ""}`,
  );

describe("rows", () => {
  test("sections are open at first, single children through to the first branching point", () => {
    expect(drawn(nodes())).toEqual([
      "Qwen/Qwen3-32B Qwen3ForCausalLM",
      "  model Qwen3Model",
      "    embed_tokens Embedding",
      "    layers ModuleList",
      "      layers.0 … layers.63 Qwen3DecoderLayer ×64 +",
      "    norm Qwen3RMSNorm",
      "  lm_head Linear",
    ]);
  });

  test("a folded row stands for all copies and counts one", () => {
    const layer = nodes().find((node) => node.repeat === 64) as ModuleNode;
    expect([layer.path, layer.lastPath, layer.copies, layer.parameters, layer.submodules]).toEqual([
      "model.layers.0",
      "model.layers.63",
      64,
      3 * 64,
      5,
    ]);
  });

  test("shared weights count once above both ends, and say whose they are", () => {
    const [root, ...rest] = nodes() as [ModuleNode, ...ModuleNode[]];
    expect(root.parameters).toBe(100 * 8 + 64 * 3 * 64 + 8);
    expect(rest.find((node) => node.path === "lm_head")?.shares).toBe("shares model.embed_tokens.weight");
  });
});

describe("unfolded", () => {
  const layers = (...paths: string[]) => drawn(nodes([], paths.reduce((state, path) => unfold(state, path), treeAtFirst))).filter((line) => line.includes("layers."));
  test("one copy stands by itself, the others stay folded around it", () => {
    expect(layers("model.layers.17")).toEqual([
      "      layers.0 … layers.16 Qwen3DecoderLayer ×17 +",
      "      layers.17 Qwen3DecoderLayer +",
      "      layers.18 … layers.63 Qwen3DecoderLayer ×46 +",
    ]);
    expect(layers("model.layers.0", "model.layers.63", "model.layers.1")).toEqual([
      "      layers.0 Qwen3DecoderLayer +",
      "      layers.1 Qwen3DecoderLayer +",
      "      layers.2 … layers.62 Qwen3DecoderLayer ×61 +",
      "      layers.63 Qwen3DecoderLayer +",
    ]);
    expect(layers("model.layers.*")).toHaveLength(64);
    expect(layers("model.layers.64", "elsewhere.3")).toHaveLength(1);
  });
  test("its own totals are those of one copy, and a path of it leads to it", () => {
    const state = unfold(treeAtFirst, "model.layers.17");
    expect(reveal(facts, state, "model.layers.17.mlp")?.path).toBe("model.layers.17.mlp");
    expect(reveal(facts, state, "model.layers.20.mlp")?.path).toBe("model.layers.18.mlp");
    const alone = moduleNodes(facts, "", state).find((node) => node.path === "model.layers.17")!;
    expect([alone.copies, alone.parameters, alone.submodules]).toEqual([1, 3 * 64, 5]);
  });
});

describe("reveal", () => {
  test("a path of any copy leads to the folded row, with everything above it open", () => {
    const found = reveal(facts, treeAtFirst, "model.layers.17.self_attn.k_proj");
    expect(found?.path).toBe("model.layers.0.self_attn.k_proj");
    expect(drawn(nodes([], found?.state))).toContain("          k_proj Linear");
  });
  test("what was closed by hand is opened again; what is not there is not found", () => {
    expect(reveal(facts, toggle(treeAtFirst, ["model"]), "model.norm")?.state).toEqual(treeAtFirst);
    expect(reveal(facts, treeAtFirst, "model.layers.64")).toBeUndefined();
    expect(reveal(facts, treeAtFirst, "model.nothing")).toBeUndefined();
  });
});

describe("keys", () => {
  const rows = nodes();
  const at = (path: string) => rows.find((node) => node.path === path) as ModuleNode;
  const does = (path: string, key: string) => treeMove(rows, at(path), key);
  test.each([
    ["", "ArrowDown", "model"],
    ["model", "ArrowUp", ""],
    ["", "ArrowUp", ""],
    ["lm_head", "ArrowDown", "lm_head"],
    ["model.norm", "Home", ""],
    ["", "End", "lm_head"],
    ["model.norm", "ArrowLeft", "model"],
    ["model", "ArrowRight", "model.embed_tokens"],
  ])("%s, %s selects %s", (from, key, to) => expect(does(from, key)).toEqual({ select: to, toggle: [] }));
  test("right opens a closed row, left closes an open one", () => {
    expect(does("model.layers.0", "ArrowRight")?.toggle).toEqual(["model.layers.0"]);
    expect(does("model", "ArrowLeft")?.toggle).toEqual(["model"]);
  });
  test("the star opens the closed siblings", () => {
    const open = nodes(["model.layers.0"]);
    expect(treeMove(open, open.find((node) => node.path === "model.layers.0.mlp") as ModuleNode, "*")?.toggle).toEqual(["model.layers.0.self_attn"]);
  });
  test("other keys are not the tree's", () => expect(does("model", "x")).toBeUndefined());
});
