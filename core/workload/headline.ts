// The few figures that a list shows of a run: computed from its requests, else as its file states them.
import type { WorkloadSummary } from "#schema/api/workloads.ts";
import type { Figures } from "./figures.ts";

export function headlineOf(stated: Figures, computed: Figures | null): WorkloadSummary["figures"] {
  const { completed, failed, requestsPerS, outputTokensPerS, ttftUs, tpotUs, latencyUs } = computed ?? stated;
  return {
    source: computed === null ? "file" : "requests", completed, failed, requestsPerS, outputTokensPerS, ttftP50Us: ttftUs?.percentiles["p50"], ttftP99Us: ttftUs?.percentiles["p99"],
    tpotP50Us: tpotUs?.percentiles["p50"], tpotP99Us: tpotUs?.percentiles["p99"], latencyP50Us: latencyUs?.percentiles["p50"], latencyP99Us: latencyUs?.percentiles["p99"],
  };
}
