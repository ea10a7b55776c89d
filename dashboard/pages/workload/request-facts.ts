// What there is to say of one request, in the order of its life: for the tooltip, and in words for those who do not see the drawing.
import { printable } from "#core/printable.ts";
import { lastLineOf } from "#core/workload/last-line.ts";
import type { Requests } from "#core/workload/requests.ts";

export type RequestFact = { readonly label: string; readonly value: string };

export function requestFacts(requests: Requests, row: number): readonly RequestFact[] {
  const ms = (us: number) => (Number.isNaN(us) ? null : `${(us / 1_000).toLocaleString("en-US", { maximumFractionDigits: 3 })} ms`);
  const tokens = (count: number) => (Number.isNaN(count) ? null : count.toLocaleString("en-US"));
  const facts: readonly (readonly [string, string | null])[] = [
    ["Sent", Number.isNaN(requests.startUs[row]!) ? null : `${(requests.startUs[row]! / 1e6).toLocaleString("en-US", { maximumFractionDigits: 6 })} s after the first`],
    ["Input tokens", tokens(requests.inputTokens[row]!)],
    ["Output tokens", tokens(requests.outputTokens[row]!)],
    ["Client queue", ms(requests.clientQueueUs[row]!)],
    ["Queue", ms(requests.queueUs[row]!)],
    ["Prefill", ms(requests.prefillUs[row]!)],
    ["TTFT", ms(requests.ttftUs[row]!)],
    ["Decode", ms(requests.decodeUs[row]!)],
    ["TPOT", ms(requests.tpotUs[row]!)],
    [requests.latencyEstimated ? "E2E latency ≈" : "E2E latency", ms(requests.latencyUs[row]!)],
    ["Longest gap", ms(requests.gaps.maxUs[row]!)],
    ["Failed", requests.failed[row] === 1 ? printable(lastLineOf(requests.errors[row]!)) || "without a word" : null],
  ];
  return facts.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
}

export function requestWords(requests: Requests, row: number): string {
  return `Request ${row.toLocaleString("en-US")}. ${requestFacts(requests, row).map(({ label, value }) => `${label} ${value}`).join(", ")}`;
}
