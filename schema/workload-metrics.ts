// What is measured of each request of a benchmark, the closed list in the order it is shown. All times, µs.

export const workloadMetrics = {
  clientQueueUs: "client queue time", // waited at the client before it was sent
  queueUs: "queue time", // waited in the engine; part of TTFT
  prefillUs: "prefill", // part of TTFT
  ttftUs: "TTFT", // sent to first token
  decodeUs: "decode", // first token to last
  tpotUs: "TPOT", // decode ÷ (output tokens − 1)
  itlUs: "ITL", // every gap between two streamed pieces
  latencyUs: "latency", // sent to complete
} as const;

export type WorkloadMetric = keyof typeof workloadMetrics;
export const workloadMetricNames = Object.keys(workloadMetrics) as WorkloadMetric[];
