import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { layerFrameName, searchForModule } from "#core/shape/frame-name.ts";

const lines = readFileSync(new URL("../../../schema/fixtures/frame_names.txt", import.meta.url), "utf8").split("\n");
const cases = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("\t"));

test("the fixture has cases of four fields", () => {
  expect(cases.length).toBeGreaterThanOrEqual(25);
  for (const fields of cases) expect(fields).toHaveLength(4);
});

test.each(cases)("%s at %j of %j is the frame %j", (className, path, modelName, expected) => {
  expect(layerFrameName({ className: className!, path: path!, modelName: modelName! })).toBe(expected);
});

describe("the search for a module's frames", () => {
  const modelName = "Qwen/Qwen3-32B";
  test.each([
    ["a single module", "Qwen3RMSNorm", "model.norm", "model.norm", "Qwen3RMSNorm norm"],
    ["a single layer", "Qwen3DecoderLayer", "model.layers.17", "model.layers.17", "Qwen3DecoderLayer layers.17"],
    ["the folded layers", "Qwen3DecoderLayer", "model.layers.0", "model.layers.63", "Qwen3DecoderLayer layers."],
    ["a module in every folded layer", "Qwen3Attention", "model.layers.0.self_attn", "model.layers.63.self_attn", "Qwen3Attention self_attn"],
    ["folded experts in folded layers", "Expert", "model.layers.0.mlp.experts.0", "model.layers.63.mlp.experts.127", "Expert experts."],
    ["one of two in every folded block", "Linear", "h.0.1", "h.11.1", "Linear h."],
    ["folded in one block", "Linear", "h.3.0", "h.3.5", "Linear h.3."],
    ["a bare Sequential", "Linear", "0", "4", "Linear"],
    ["the root", "Qwen3ForCausalLM", "", "", "Qwen/Qwen3-32B"],
  ])("%s", (_, className, path, lastPath, expected) => {
    expect(searchForModule({ className, path, lastPath, modelName })).toBe(expected);
  });

  test("matches the frame of every copy and of no other module", () => {
    const search = searchForModule({ className: "Qwen3DecoderLayer", path: "model.layers.0", lastPath: "model.layers.63", modelName });
    const frame = (className: string, path: string): string => layerFrameName({ className, path, modelName });
    for (let layer = 0; layer < 64; layer++) expect(frame("Qwen3DecoderLayer", `model.layers.${layer}`)).toContain(search);
    for (const [className, path] of [["ModuleList", "model.layers"], ["Qwen3MLP", "model.layers.3.mlp"], ["Qwen3Model", "model"]] as const) {
      expect(frame(className, path)).not.toContain(search);
    }
  });
});
