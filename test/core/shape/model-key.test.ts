import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { modelKey } from "#core/shape/model-key.ts";

const qwen3 = { rootClass: "Qwen3ForCausalLM", architecture: "Qwen3ForCausalLM", configDigest: "", quantisation: "fp8", name: "Qwen/Qwen3-32B", ppSize: 1 };

test("is the first half of the SHA-256 of the text that docs/shape-format.md gives", () => {
  const text = "lamella-model\t1\nQwen3ForCausalLM\nQwen3ForCausalLM\n\nfp8\nQwen/Qwen3-32B\n1\n";
  expect(modelKey(qwen3)).toBe(createHash("sha256").update(text).digest("hex").slice(0, 32));
});

test("every field tells models apart, and none runs into the next", () => {
  const variants = [
    qwen3,
    { ...qwen3, rootClass: "Qwen3Model" },
    { ...qwen3, architecture: "" },
    { ...qwen3, configDigest: "ab".repeat(32) },
    { ...qwen3, quantisation: "" },
    { ...qwen3, name: "qwen3-prod" },
    { ...qwen3, ppSize: 2 },
    { ...qwen3, rootClass: "Qwen3ForCausalLM\nQwen3ForCausalLM", architecture: "" },
  ];
  expect(new Set(variants.map(modelKey)).size).toBe(variants.length);
});
