import { describe, expect, test } from "vitest";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import { findPathKey, pathKeys, printPathKey, samePlace } from "#dashboard/pages/flamegraph/path-key.ts";
import { answerOf, nameOf, nodeNamed } from "./answer.ts";

const shown = answerOf(`
  python:main 100
    layer:Model model 100
      python:forward 90
        layer:Layer layers.1 50
          python:run 50
            gpu_kernel:gemm 50
        layer:Layer layers.0 40
          python:run 40
            gpu_kernel:gemm 40
`);
const hidden = answerOf(`
  python:main 100
    python:forward 90
      python:run 90
        gpu_kernel:gemm 90
`);

describe("path keys", () => {
  test("name every node apart, and lead back to it", () => {
    const keys = pathKeys(shown);
    for (let node = 1; node < shown.nodes.parent.length; node++) expect(findPathKey(keys, printPathKey(keys, node))).toBe(node);
    expect(findPathKey(keys, "zzzz")).toBeUndefined();
  });

  test("name the same path in other data", () => {
    const later = answerOf("gpu_kernel:nccl 900\npython:main 7\n  layer:Model model 7\n    python:forward 5");
    const key = printPathKey(pathKeys(shown), nodeNamed(shown, "forward"));
    expect(nameOf(later, findPathKey(pathKeys(later), key) as number)).toBe("forward");
  });
});

describe("the same place after layers are hidden or shown", () => {
  const layers = new Set(["layer"]);
  const place = (from: typeof shown, node: number, to: typeof shown) => samePlace(from, node, to, indexTree(to.nodes).end, layers);
  const stack = (answer: typeof shown, node: number): string =>
    node <= 0 ? "" : `${stack(answer, answer.nodes.parent[node] as number)}/${nameOf(answer, node)}`;

  test("a frame keeps its path without the layers", () => {
    expect(stack(hidden, place(shown, nodeNamed(shown, "gemm"), hidden))).toBe("/main/forward/run/gemm");
  });
  test("a layer becomes the frame around it", () => {
    expect(stack(hidden, place(shown, nodeNamed(shown, "Layer layers.0"), hidden))).toBe("/main/forward");
  });
  test("back again: of several layers the heaviest", () => {
    expect(stack(shown, place(hidden, nodeNamed(hidden, "run"), shown))).toBe("/main/Model model/forward/Layer layers.1/run");
  });
  test("nothing in common is the root", () => {
    expect(place(shown, nodeNamed(shown, "gemm"), answerOf("python:elsewhere 5"))).toBe(0);
  });
});
