import { describe, expect, test } from "vitest";
import { StackExecution } from "#core/trace/stack-execution.ts";
import { decodeSamples } from "#core/upload/decode-samples.ts";
import { encodeExecution } from "#core/upload/encode-execution.ts";
import { limits } from "#schema/limits.ts";
import { accepted, stackLines } from "./stacks-text.ts";

const head = { profileType: "cpu", events: 1, notes: [] } as const;
function build(...stacks: [names: string[], value: number, count: number][]) {
  const execution = new StackExecution();
  for (const [names, value, count] of stacks) execution.add(execution.stack(names.map((name) => execution.frame({ kind: "native", name }))), { value, count });
  return execution;
}

test("equal stacks are one sample; what profiles without modules do not have is there, and empty", () => {
  const execution = accepted(build([["a", "b"], 5, 1], [["a"], 2, 2], [["a", "b"], 7, 1]).finish(head));
  expect(stackLines(execution)).toEqual(["native:a > native:b | 12 × 2", "native:a | 2 × 2"]);
  expect(execution).toMatchObject({ totals: { value: 14, kernels: 4, moduleValue: 0 }, gaps: [], modules: [], steps: [], operations: [], kernelUses: [], pathSource: "none", recordedAtNs: 0n, modelKey: "", device: "CPU (the file does not name it)" });
});

test("a mapping stands where no source file is known, and tells functions of one name apart", () => {
  const execution = new StackExecution();
  const init = (more: object) => execution.frame({ kind: "native", name: "init", ...more });
  expect(new Set([init({ mapping: "liba.so" }), init({ mapping: "libb.so" }), init({ mapping: "liba.so", file: "a.c" }), init({ mapping: "liba.so" })]).size).toBe(3);
});

test("sums over what one sample may hold become several, exactly", () => {
  const over = limits.sampleValueMax + 12_345;
  const { samples, totals } = accepted(build([["a"], over, 2 ** 33]).finish(head));
  expect(samples.map(({ value, count }) => [value, count])).toEqual([[limits.sampleValueMax, 2 ** 32 - 1], [12_345, 2 ** 32 - 1], [0, 2]]);
  expect(totals).toMatchObject({ value: over, kernels: 2 ** 33 });
});

describe("refused", () => {
  test.each([
    ["nothing in it", build(), "no sample with a value"],
    ["zeros only", build([["a"], 0, 3]), "no sample with a value"],
    ["more than can be summed exactly", build([["a"], Number.MAX_SAFE_INTEGER, 1], [["b"], 2, 1]), "more than 2^53"],
  ])("%s", (_, execution, reason) => expect(execution.finish(head)).toMatchObject({ ok: false, error: { reason: expect.stringContaining(reason) } }));
});

test("deep stacks and long names are cut in their middle, and it is said", () => {
  const names = Array.from({ length: limits.stackDepthMax + 10 }, (_, i) => `f${i}`);
  const { stacks, notes } = accepted(build([names, 1, 1], [["x".repeat(limits.nameBytesMax + 1)], 1, 1]).finish(head));
  expect(stacks[0]).toHaveLength(limits.stackDepthMax);
  expect(notes).toEqual(["Stacks deeper than 1,024 frames, their middle left out: 1", "Names longer than 16,384 bytes, their middle left out: 1"]);
});

test.each(["cpu", "samples", "wall"] as const)("a profile of type %s goes over the wire", (profileType) => {
  const execution = accepted(build([["a", "b"], 5, 1], [["a"], 2, 2]).finish({ ...head, profileType }));
  const encoded = encodeExecution(execution, { agentVersion: "test 1", executionId: "a".repeat(64), name: "x", importedAtS: 1_764_426_720 }, { hostName: "h" });
  if (!encoded.ok) throw new Error(encoded.error.detail);
  const decoded = decodeSamples(encoded.value.parts[0]!);
  expect(decoded).toMatchObject({ ok: true });
});
