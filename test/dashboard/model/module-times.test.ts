// The samples' time of each row of the tree: of a module, over the copies it stands for, of containers that are never called.
import { describe, expect, test } from "vitest";
import { drawnLinks, moduleAliases, sharingOf } from "#dashboard/pages/model/alias-links.ts";
import { RoleCounts } from "#dashboard/pages/model/graph/role-counts.ts";
import { moduleNodes, rowPath, shapeFacts } from "#dashboard/pages/model/module-nodes.ts";
import { moduleTimes } from "#dashboard/pages/model/module-times.ts";
import { toggle, treeAtFirst, unfold } from "#dashboard/pages/model/tree-state.ts";
import { qwen3 } from "#test/core/shape/qwen3-32b.ts";

const body = qwen3({ "lm_head.weight": "model.embed_tokens.weight" });
const facts = shapeFacts(body);
const layers = Array.from({ length: 64 }, (_, i) => ({ modulePath: `model.layers.${i}`, total: i === 41 ? 260 : 100 + (i % 3) }));

describe("times", () => {
  const { byPath, elsewhere } = moduleTimes(facts, treeAtFirst, [...layers, { modulePath: "model.norm", total: 7 }, { modulePath: "model.layers.64", total: 1 }]);
  const folded = byPath.get("model.layers.0")!;
  test("of a fold: all copies in the order of the model, and the one that is unlike them", () => {
    expect([folded.copies.length, folded.total, folded.median]).toEqual([64, layers.reduce((sum, { total }) => sum + total, 0), 101]);
    expect(folded.copies.map(({ path }) => path)).toEqual(layers.map(({ modulePath }) => modulePath));
    expect([folded.least.path, folded.most.path]).toEqual(["model.layers.0", "model.layers.41"]);
    expect(folded.unlike).toEqual([{ path: "model.layers.41", value: 260, times: 260 / 101 }]);
  });
  test("of a container that is never called: the sum of what it holds, and said so", () => {
    expect(byPath.get("model.layers")).toMatchObject({ total: folded.total + 1, summed: true });
    expect(byPath.get("model")).toMatchObject({ total: folded.total + 8, summed: true });
    expect(folded.summed).toBe(false);
  });
  test("modules that the shape does not have are counted, not dropped in silence", () => expect(elsewhere).toBe(1));
  test("a copy by itself has its own time", () => {
    const alone = moduleTimes(facts, unfold(treeAtFirst, "model.layers.41"), layers).byPath;
    expect(["model.layers.0", "model.layers.41", "model.layers.42"].map((path) => alone.get(path)!.copies.length)).toEqual([41, 1, 22]);
    expect(alone.get("model.layers.41")!.total).toBe(260);
  });
});

test("a collapsed section counts what it hides of each role", () => {
  const counts = new RoleCounts(body);
  const layer = moduleNodes(facts, "m", treeAtFirst).find(({ path }) => path === "model.layers.0")!;
  expect((["Norm", "Attention", "Linear / MLP", "Activation", "Embedding"] as const).map((role) => counts.hidden(layer.row, role))).toEqual([4, 1, 8, 1, 0]);
  expect(counts.hidden(body.root, "Norm")).toBe(64 * 4 + 1);
});

describe("aliases", () => {
  const aliases = moduleAliases(body);
  test("of tensors are between the modules that hold them", () => {
    expect(aliases).toEqual([{ from: "lm_head", to: "model.embed_tokens", what: "model.embed_tokens.weight" }]);
    expect(sharingOf(aliases, (path) => path === "lm_head")).toEqual({ with: ["model.embed_tokens"], by: [] });
    expect(sharingOf(aliases, (path) => path === "model.embed_tokens")).toEqual({ with: [], by: ["lm_head"] });
  });
  test("are drawn for either end, to the section that hides the other", () => {
    const rowOf = (path: string) => rowPath(facts, treeAtFirst, path);
    const shown = (closed: readonly string[]) => new Set(moduleNodes(facts, "m", toggle(treeAtFirst, closed)).map(({ path }) => path));
    expect(drawnLinks(aliases, "model.embed_tokens", rowOf, shown([]))).toEqual([{ from: "lm_head", to: "model.embed_tokens" }]);
    expect(drawnLinks(aliases, "lm_head", rowOf, shown(["model"]))).toEqual([{ from: "lm_head", to: "model" }]);
    expect(drawnLinks(aliases, "model.norm", rowOf, shown([]))).toEqual([]);
  });
});
