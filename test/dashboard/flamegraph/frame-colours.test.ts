// The fills must stay apart for people with any of the three colour blindnesses, and carry dark text.
import { describe, expect, test } from "vitest";
import { frameColours, labelColour, shadeOf, shadeTable } from "#dashboard/pages/flamegraph/frame-colours.ts";
import { contrast, deltaE2000, seenBy, visions } from "../colour-vision.ts";

const kinds = ["layer", "python", "native", "op", "os_kernel", "gpu_api", "gpu_kernel", "nvtx", "sass"] as const;

describe.each(visions)("%s vision", (vision) => {
  test("any two kinds differ by ΔE2000 ≥ 9.5", () => {
    for (const a of kinds)
      for (const b of kinds)
        if (a < b) expect([a, b, deltaE2000(seenBy(vision, frameColours[a]), seenBy(vision, frameColours[b])) >= 9.5]).toEqual([a, b, true]);
  });
});

test("labels are readable on every shade, pale ones too (4.5:1)", () => {
  for (const table of [shadeTable(false), shadeTable(true)])
    for (const shade of Object.values(table).flat()) expect(contrast(shade, labelColour)).toBeGreaterThanOrEqual(4.5);
});

test("numbered siblings share a shade", () => {
  expect(shadeOf("Qwen2DecoderLayer layers.17")).toBe(shadeOf("Qwen2DecoderLayer layers.18"));
  expect(new Set(["q_proj", "k_proj", "mlp", "self_attn", "norm", "lm_head"].map(shadeOf)).size).toBeGreaterThan(2);
});
