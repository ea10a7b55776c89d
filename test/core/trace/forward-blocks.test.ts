// A forward analysis as blocks and arrows of one module, written as the recorder writes it (docs/recording.md).
import { expect, test } from "vitest";
import { forwardBlocks } from "#core/trace/forward-blocks.ts";

const forward = {
  format: 1,
  calls: [
    { order: 0, parent: -1, path: "", class: "org.Net" }, { order: 1, parent: 0, path: "embed", class: "torch.nn.Embedding" },
    { order: 2, parent: 0, path: "layers.0", last: "layers.3", copies: 4, class: "org.Layer" }, { order: 3, parent: 2, path: "layers.0.norm", class: "org.Norm" }, { order: 4, parent: 2, path: "layers.0.mlp", class: "org.Mlp" },
    { order: 20, parent: 0, path: "tail", same: 2 },
  ],
  flow: [
    { in: 0, from: "input:ids", to: 1, name: "input", dims: [1, 32], evidence: "object" }, { in: 0, from: 1, to: 2, name: "x", dims: [1, 32, 8] }, { in: 0, from: 2, to: 2, name: "x" }, { in: 0, from: 2, to: "output", name: "" },
    { in: 2, from: "input:x", to: 3, name: "x", dims: [1, 32, 8] }, { in: 2, from: 3, to: 4, name: "a" }, { in: 2, from: 3, to: 4, name: "b" }, { in: 2, from: 4, to: "output", name: "", via: ["aten::add"] }, { in: 2, from: "input:x", to: "output", via: ["aten::add"] },
  ],
  classes: { "org.Mlp": { dependencies: [{ from: "input:x", to: "gate" }, { from: "gate", to: "down" }, { from: "down", to: "output" }] }, "a.Twice": { dependencies: [{ from: "x", to: "output" }] }, "b.Twice": { dependencies: [{ from: "y", to: "output" }] } },
};

test("what flowed between the modules called in it, several tensors on one arrow", () => {
  expect(forwardBlocks(forward, "layers.0", "Layer")).toEqual({
    observed: true, order: ["norm", "mlp"],
    arrows: [
      { from: "input:x", to: "norm", names: ["x"], dims: "[1,32,8]", via: [] }, { from: "norm", to: "mlp", names: ["a", "b"], dims: "", via: [] },
      { from: "mlp", to: "output", names: [], dims: "", via: ["aten::add"] }, { from: "input:x", to: "output", names: [], dims: "", via: ["aten::add"] },
    ],
  });
  expect(forwardBlocks(forward, "", "Net")!.arrows.map(({ from, to }) => `${from} → ${to}`)).toEqual(["input:ids → embed", "embed → layers.0", "layers.0 → layers.0", "layers.0 → output"]);
});

test("a later copy, and a call that equals another, are told of as the first", () => {
  expect(forwardBlocks(forward, "layers.2", "Layer")).toEqual(forwardBlocks(forward, "layers.0", "Layer"));
  expect(forwardBlocks(forward, "tail", "Layer")).toEqual(forwardBlocks(forward, "layers.0", "Layer"));
  expect(forwardBlocks(forward, "layers.4", "Layer")).toBeUndefined();
});

test("where nothing was observed inside, the source of its class says what may flow", () => {
  expect(forwardBlocks(forward, "layers.3.mlp", "Mlp")).toMatchObject({ observed: false, order: ["gate", "down"], arrows: [{ from: "input:x", to: "gate" }, { from: "gate", to: "down" }, { from: "down", to: "output" }] });
  expect(forwardBlocks(forward, "elsewhere", "Mlp")).toMatchObject({ observed: false });
  expect(forwardBlocks(forward, "elsewhere", "Twice")).toBeUndefined(); // two classes of that name
});

test.each([null, 7, [], {}, { calls: 3, flow: "x", classes: [] }, { calls: [null, { order: "x", path: 3 }], flow: [{ in: 0 }] }, { classes: { "org.Mlp": null } }])("%j is no analysis", (junk) => {
  expect(forwardBlocks(junk, "", "Mlp")).toBeUndefined();
});
