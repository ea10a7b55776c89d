// A benchmark that nobody ran: requests that arrive at random at an engine which holds so many at once, so that queues build up and drain. The same every time. What shows
// it calls it simulated.
import { encodeWorkload } from "#core/upload/encode-workload.ts";
import { requestColumns, type RequestRow } from "#core/workload/requests.ts";
import { workloadOf, type Workload } from "#core/workload/workload.ts";

const slots = 64; // requests the engine holds at once
const meanGapUs = 62_000; // between arrivals: a load a little over what the slots take, for a while
const gapsPerRequest = 24;

// Numerical Recipes' linear congruential generator: 0 ≤ number < 1.
function dice(): () => number {
  let state = 12_345;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

export function simulatedRows(n: number): RequestRow[] {
  const roll = dice();
  const exponential = (mean: number) => -mean * Math.log(1 - roll());
  const normal = () => Math.sqrt(-2 * Math.log(1 - roll())) * Math.cos(2 * Math.PI * roll());
  const freeAtUs = new Float64Array(slots);
  let nowUs = 1e12;
  return Array.from({ length: n }, (_, row): RequestRow => {
    nowUs += exponential(meanGapUs);
    const inputTokens = Math.max(8, Math.round(Math.exp(6.4 + 0.8 * normal())));
    const outputTokens = Math.max(1, Math.round(Math.exp(5 + 0.7 * normal())));
    let slot = 0;
    for (let at = 1; at < slots; at++) if (freeAtUs[at]! < freeAtUs[slot]!) slot = at;
    const queueUs = Math.round(Math.max(0, freeAtUs[slot]! - nowUs) + exponential(1_500));
    const prefillUs = Math.round(18_000 + 46 * inputTokens * (1 + 0.1 * normal() ** 2));
    const tpotUs = 17_000 + 3_000 * Math.abs(normal());
    const decodeUs = Math.round((outputTokens - 1) * tpotUs);
    const ttftUs = queueUs + prefillUs + 900;
    if (row % 199 === 198) return { startUs: nowUs, inputTokens, outputTokens: 0, failed: true, error: row % 2 === 0 ? "TimeoutError: no answer in 30 s" : "HTTP 503: overloaded" };
    freeAtUs[slot] = nowUs + ttftUs + decodeUs;
    const gapsUs = Array.from({ length: outputTokens > 1 ? gapsPerRequest : 0 }, () => Math.round((decodeUs / gapsPerRequest) * (roll() < 0.01 ? 2.5 : 1)));
    return { startUs: nowUs, queueUs, prefillUs, ttftUs, latencyUs: ttftUs + decodeUs, inputTokens, outputTokens, gapsUs, failed: false };
  });
}

export function simulatedWorkload(n: number): Workload {
  return workloadOf({
    format: "request-list", tool: "simulated", toolVersion: "", label: "", engine: "vllm", modelName: "org/simulated", startedAtS: undefined, dateText: "", load: { requestsPerS: 1e6 / meanGapUs, strategy: "poisson" },
    stated: {}, requests: requestColumns(simulatedRows(n)), notes: ["This run is simulated: no engine answered these requests"], definitions: { tpot: true, percentiles: true, deviation: true },
  });
}

// Bodies of the uploads that make it a workload of a tenant.
export function simulatedUploads(n: number, workloadId: string): Uint8Array[] {
  const parts = encodeWorkload(simulatedWorkload(n), { agentVersion: "simulated 1", workloadId, name: `simulated: ${n.toLocaleString("en-US")} requests` });
  if (!parts.ok) throw new Error(parts.error.detail);
  return [...parts.value];
}
