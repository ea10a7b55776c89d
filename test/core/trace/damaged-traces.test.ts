// Any damage to a trace gives an execution or a refusal, never an exception, and never more work than was in it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { importTrace } from "#core/trace/import-trace.ts";
import { bytesOf, kernel, launch, module, op, python } from "./trace-text.ts";

const events = Array.from({ length: 20 }, (_, i) => [
  python(`run.py(${i}): step "${i}"`, [i * 100, i * 100 + 90], [i * 3, -1]), module(`Net_${i % 3}`, [i * 100 + 1, i * 100 + 80], [i * 3 + 1, i * 3]), op("aten::mm", [i * 100 + 5, i * 100 + 60]),
  launch(i + 1, [i * 100 + 7, i * 100 + 8]), kernel(i + 1, [i * 100 + 50, i * 100 + 70], "gemm<128, 64>"),
]).flat();
const whole = bytesOf({ schemaVersion: 1, deviceProperties: [{ id: 0, name: "GPU" }], traceEvents: events, baseTimeNanoseconds: 1_750_000_000_000_000_000 });

const damage = fc.array(fc.record({ at: fc.nat(whole.length - 1), byte: fc.oneof(fc.nat(255), fc.constantFrom(...new TextEncoder().encode(`"\\{}[],:`))) }), { minLength: 1, maxLength: 6 });

test("bytes overwritten, cut off, fed in pieces of any size", async () => {
  await fc.assert(
    fc.asyncProperty(damage, fc.nat(whole.length), fc.integer({ min: 1, max: 4096 }), async (overwritten, length, chunkBytes) => {
      const bytes = whole.slice();
      for (const { at, byte } of overwritten) bytes[at] = byte;
      const kept = bytes.subarray(0, Math.max(1, length));
      const chunks = Array.from({ length: Math.ceil(kept.length / chunkBytes) }, (_, i) => kept.subarray(i * chunkBytes, (i + 1) * chunkBytes));
      const result = await importTrace(chunks, { frameName: ({ path }) => path });
      if (!result.ok) return void expect(result.error.reason).not.toBe("");
      const { samples, totals, gaps } = result.value;
      expect(samples.reduce((sum, sample) => sum + sample.count, 0)).toBe(totals.kernels);
      expect(gaps.reduce((sum, gap) => sum + gap.value, totals.moduleValue)).toBe(totals.value);
      expect(totals.kernels).toBeLessThanOrEqual(20);
    }),
    { numRuns: 1500 },
  );
});
