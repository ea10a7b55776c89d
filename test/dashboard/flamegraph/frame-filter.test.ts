// "Only stacks with this frame" as a filter: the field of its kind, joined to the filter that is there.
import { expect, test } from "vitest";
import { narrowedFilter, frameCondition } from "#dashboard/pages/flamegraph/frame-filter.ts";
import { pathPattern } from "#core/flamegraph/tables/path-pattern.ts";
import { answerOf } from "./answer.ts";

const frames = (kind: string, name: string, modulePath = "") => {
  const { frames } = answerOf(`${kind}:x 1`);
  frames.name[2] = name;
  frames.modulePath[2] = modulePath;
  return frames;
};
const only = (filter: string, kind: string, name: string, path = "") => narrowedFilter(filter, frameCondition(frames(kind, name, path), 2)!, "only");

test.each([
  ["", "gpu_kernel", 'void f<"x">()', "", 'kernel.name == "void f<\\"x\\">()"'],
  ['host.name == "a"', "layer", "Qwen3MLP mlp", "model.layers.17.mlp", 'host.name == "a" && module.path == "model.layers.17.mlp"'],
  ['host.name == "a" || host.name == "b"', "layer", "org/net", "", '(host.name == "a" || host.name == "b") && model.name == "org/net"'],
])("to %j, %s %s", (filter, kind, name, path, expected) => {
  expect(only(filter, kind, name, path)).toBe(expected);
});

test("of folded layers every copy, and nothing else", () => {
  const filter = only("", "layer", "Qwen3MLP mlp", "model.layers.*.mlp");
  const pattern = pathPattern("model.layers.*.mlp");
  expect(filter).toBe(`module.path.matches(${JSON.stringify((pattern as { value: { regex: string } }).value.regex)})`);
});

test("left out instead", () => {
  expect(narrowedFilter('host.name == "a"', frameCondition(frames("gpu_kernel", "gemm"), 2)!, "without")).toBe('host.name == "a" && !(kernel.name == "gemm")');
});

test("no field is about Python frames", () => {
  expect(frameCondition(frames("python", "forward"), 2)).toBeNull();
});
