// Three requests that stand for a run: fast, typical and slow are those at the 10th, 50th and 90th percentile of latency among the requests that did not fail. A
// profiler replays them alone by their token counts, so the queue and the batch they met in the run are not part of the replay.
import type { Requests } from "./requests.ts";

export const representativeRules = [
  { label: "Fast", percentile: 10 },
  { label: "Typical", percentile: 50 },
  { label: "Slow", percentile: 90 },
] as const;

export type Representative = {
  label: (typeof representativeRules)[number]["label"];
  percentile: number;
  request: number; // row
  latencyUs: number;
  ttftUs: number; // NaN = the file does not give it
  inputTokens: number; // NaN likewise
  outputTokens: number;
};

// Always real requests, never interpolated: by nearest rank, the ⌈p · n / 100⌉-th of n, the earlier row among equal latencies. None when no request has a
// latency; with fewer than three, several labels name the same request.
export function representativesOf(requests: Requests): Representative[] {
  const { latencyUs, ttftUs, inputTokens, outputTokens, failed } = requests;
  const rows = Array.from(latencyUs, (_, row) => row).filter((row) => failed[row] === 0 && !Number.isNaN(latencyUs[row]!));
  rows.sort((a, b) => latencyUs[a]! - latencyUs[b]! || a - b);
  if (rows.length === 0) return [];
  return representativeRules.map(({ label, percentile }) => {
    const request = rows[Math.ceil((percentile * rows.length) / 100) - 1]!;
    return { label, percentile, request, latencyUs: latencyUs[request]!, ttftUs: ttftUs[request]!, inputTokens: inputTokens[request]!, outputTokens: outputTokens[request]! };
  });
}
