import { expect, test } from "vitest";
import { layerCountOf } from "#core/workload/layer-count.ts";

test.each<[string, unknown, number | undefined]>([
  ["the usual name", { num_hidden_layers: 28 }, 28],
  ["GPT-2's name", { n_layer: 12 }, 12],
  ["the language model's, not the vision tower's", { vision_config: { num_hidden_layers: 27 }, text_config: { num_hidden_layers: 64 } }, 64],
  ["a part within a part", { thinker_config: { text_config: { num_hidden_layers: 48 } } }, 48],
  ["one entry a layer", { layers_block_type: ["mamba", "moe", "attention"] }, 3],
  ["one character a layer", { hybrid_override_pattern: "M-M*" }, 4],
  ["no number", { num_hidden_layers: "28" }, undefined],
  ["nothing", {}, undefined],
  ["no configuration", null, undefined],
])("%s", (_, config, count) => expect(layerCountOf(config)).toBe(count));
