// What filters mean, case by case.
import { expect, test } from "vitest";
import { readFilter } from "#core/filter/check.ts";
import { predicate, type Subject } from "#core/filter/evaluate.ts";

const row: Subject = {
  "host.name": "node-7", "gpu.name": "NVIDIA H100", "user.tag": ["env:prod", "team:ml"], "profile.frame.type": ["python", "layer", "gpu_kernel"],
  "module.path": ["", "layers.1"], "kernel.name": ["flash_fwd"],
};

test.each([
  ["", true],
  ['host.name == "node-7"', true],
  ['host.name == "NODE-7"', false], // case counts
  ['host.name.contains("de-")', true],
  ['host.name.startsWith("ode")', false],
  ['host.name.endsWith("7")', true],
  ['host.name.matches("e-[0-9]")', true], // unanchored
  ['host.name.matches("^e-[0-9]")', false],
  ['host.name in ["a", "node-7"]', true],
  ['host.name not in ["a", "node-7"]', false],
  ['job.tag == ""', true], // absent is ""
  ['job.tag != "x"', true],
  ["has(job.tag)", false],
  ['job.tag in ["", "x"]', true],
  ['job.tag.contains("")', true],
  ['user.tag == "env:prod"', true],
  ['user.tag == "env:prod" && user.tag == "team:ml"', true], // each its own element
  ['user.tag != "env:prod"', false], // an element equals
  ['user.tag != "env:dev"', true],
  ['user.tag == ""', false],
  ['user.tag.startsWith("team:")', true],
  ['!user.tag.startsWith("zone:")', true],
  ["has(user.tag)", true],
  ['profile.frame.type == "layer"', true],
  ['profile.frame.type != "layer"', false],
  ['profile.frame.type != "nvtx"', true],
  ['profile.frame.type.startsWith("gpu")', true],
  ['module.path.contains("layers.")', true],
  ["has(module.path)", true],
  ["has(module.class)", false],
  ['model.name != "x"', true],
  ['model.name == ""', false], // no such frame at all
  ['host.name == "a" || host.name == "node-7" && job.tag == ""', true],
  ['(host.name == "a" || host.name == "node-7") && job.tag == "x"', false],
  ['!(host.name == "a") && !job.tag.contains("x")', true],
])("%s is %s", (text, expected) => {
  const read = readFilter(text, "flamegraph");
  expect(read.ok).toBe(true);
  if (read.ok) expect(predicate(read.value)!(row)).toBe(expected);
});

test("a pattern without a JavaScript twin is not answered, rather than answered wrongly", () => {
  const read = readFilter('host.name.matches("a(?i)b") || host.name == "node-7"', "flamegraph");
  expect(read.ok && predicate(read.value)).toBe(undefined);
});
