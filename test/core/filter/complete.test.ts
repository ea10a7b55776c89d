// The slot at the cursor, drawn as |.
import { expect, test } from "vitest";
import type { Page } from "#schema/fields.ts";
import { complete } from "#core/filter/complete.ts";

const at = (drawn: string, page: Page = "flamegraph"): ReturnType<typeof complete> => {
  const cursor = drawn.indexOf("|cursor|");
  return complete(drawn.replace("|cursor|", ""), cursor, page);
};

test.each([
  ["|cursor|", "field", "", "host.name"],
  ["gpu|cursor|", "field", "gpu", "gpu.name"],
  ["name|cursor|", "field", "name", "host.name"],
  ["!|cursor|", "field", "", "host.name"],
  ["(k8|cursor|", "field", "k8", "k8s.pod.name"],
  ["has(clu|cursor|", "field", "clu", "cluster.name"],
  ['host.name == "a" && |cursor|', "field", "", "host.name"],
  ['host.name == "a" or j|cursor|', "field", "j", "job.tag"],
  ["host.name |cursor|", "operator", "", "=="],
  ["host.name.|cursor|", "operator", ".", ".contains("],
  ["host.name.st|cursor|", "operator", ".st", ".startsWith("],
  ['host.name == "a" |cursor|', "connective", "", "&&"],
  ['(host.name == "a"|cursor|', "connective", "", "&&"],
  ['host.name in ["a"|cursor|', "separator", "", ","],
  ['host.name.contains("a"|cursor|', "close", "", ")"],
  ['profile.frame.type == "gpu_k|cursor|', "value", "gpu_k", '"gpu_kernel"'],
])("%s", (drawn, slot, typed, first) => {
  const completion = at(drawn);
  expect({ slot: completion.slot.kind, typed: completion.typed, first: completion.options[0] }).toEqual({ slot, typed, first });
});

test.each([
  ["host.name == |cursor|", "==", "", { from: 13, to: 13 }],
  ['host.name == "no|cursor|', "==", "no", { from: 13, to: 16 }],
  ["host.name != no|cursor|", "!=", "no", { from: 13, to: 15 }],
  ['host.name in ["a", "b|cursor|', "in", "b", { from: 19, to: 21 }],
  ["host.name.startsWith('no|cursor|", "startsWith", "no", { from: 21, to: 24 }],
])("the values of an open field are the caller's: %s", (drawn, operator, typed, replace) => {
  expect(at(drawn)).toEqual({ slot: { kind: "value", field: "host.name", operator }, typed, replace, options: [] });
});

test("only the fields of the page are offered", () => {
  expect(at("|cursor|", "models").options).toHaveLength(13);
  expect(at("gpu|cursor|", "models").options).toEqual([]);
});

test("what stands after the cursor does not matter", () => {
  expect(at('gpu|cursor| && host.name == "a"').options[0]).toBe("gpu.name");
});
