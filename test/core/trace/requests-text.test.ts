import { expect, test } from "vitest";
import { executionRecordOf } from "#core/trace/execution-record.ts";
import { mergeRequests } from "#core/trace/merge-requests.ts";
import { requestsText } from "#core/trace/requests-text.ts";
import { importDocument, kernel, launch, module } from "./trace-text.ts";

const request = async (label: string, inputTokens: number, attentionUs: number) => executionRecordOf(await importDocument({
  lamella_request: { label, input_tokens: inputTokens, output_tokens: 8, latency_ns: 1_500_000_000 },
  traceEvents: [
    module("Net_0", [0, 900]), ...[0, 1].flatMap((i) => [
      module(`Block_${i}`, [10 + 400 * i, 200 + 400 * i]), module(`Attention_${i}`, [20 + 400 * i, 100 + 400 * i]), launch(1 + 10 * i, [30 + 400 * i, 31 + 400 * i]), kernel(1 + 10 * i, [1000 + 500 * i, 1000 + 500 * i + attentionUs]),
      module(`Norm_${i}`, [110 + 400 * i, 120 + 400 * i]), launch(2 + 10 * i, [111 + 400 * i, 112 + 400 * i]), kernel(2 + 10 * i, [3000 + 500 * i, 3010 + 500 * i]),
    ]),
  ],
}));

test("requests side by side, layers folded, and what grows with the input in words", async () => {
  const merged = mergeRequests([await request("Fast\u001b[31m", 100, 20), await request("Slow", 400, 320)], ["a", "b"]);
  expect(requestsText(merged, "cuda").split("\n").map((line) => line.trimEnd())).toEqual([
    "request         input tokens  output tokens  latency of the real one   GPU time   GPU busy",
    "Fast\\u{1b}[31m           100              8              1,500.00 ms   60.00 µs   60.00 µs",
    "Slow                     400              8              1,500.00 ms  660.00 µs  660.00 µs",
    "",
    "Modules: GPU time in each request; growth is the exponent with which the longest call grows with the input (0 the same, 1 in proportion, 2 squared)",
    "Fast\\u{1b}[31m       Slow  ratio  growth  module",
    "      60.00 µs  660.00 µs    11×    1.73  Net[0]            grows faster than the input",
    "      60.00 µs  660.00 µs    11×    1.73    Block[0…1] ×2   grows faster than the input",
    "      40.00 µs  640.00 µs    16×    2.00      Attention[0]  grows faster than the input",
    "      20.00 µs   20.00 µs  1.00×    0.00      Norm[0]       the same whatever the input",
    "",
  ]);
});
