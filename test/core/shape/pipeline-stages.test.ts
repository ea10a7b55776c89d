import { expect, test } from "vitest";
import { layerListOf, layersPerStage } from "#core/shape/memory/pipeline-stages.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";

// What vLLM's get_pp_indices answers.
test.each([
  [64, 1, [64]], [64, 2, [32, 32]], [64, 3, [21, 22, 21]], [65, 4, [16, 16, 17, 16]], [66, 4, [16, 17, 17, 16]], [67, 4, [17, 17, 17, 16]], [61, 8, [7, 7, 8, 8, 8, 8, 8, 7]], [2, 4, [0, 1, 1, 0]], [3, 2, [2, 1]],
])("%i layers in %i stages: %j", (layers, stages, counts) => {
  expect(layersPerStage(layers, stages)).toEqual(counts);
});

test("the layers are the heaviest list that lies in no other", () => {
  expect(layerListOf(qwen3())).toEqual({ path: "model.layers", position: [0, 1] });
  const multimodal = drawShape(`
    Net
      visual Vision
        blocks ModuleList
          0..26 Block w:float32[10]
      language Text
        layers ModuleList
          0..3 Layer
            experts ModuleList
              0..63 Expert w:float32[100]`);
  expect(layerListOf(multimodal)).toEqual({ path: "language.layers", position: [1, 0] });
  expect(layerListOf(drawShape("Net\n  fc Linear weight:float32[4,4]"))).toBeUndefined();
  expect(layerListOf(drawShape("Sequential\n  0 Linear weight:float32[4,4]\n  1 ReLU"))).toEqual({ path: "", position: [] });
});
