// A workload as workload_data.json: requests one object each with what a profiler or a viewer needs of them, a summary, the layers. Read by `python -m lamella.profile_serve
// --workload-json`, and by `lamella import` again. Times are ms, start times s; null = the benchmark did not give it.
import type { RequestColumns, WorkloadFigures, WorkloadReport } from "#schema/api/workloads.ts";
import { workloadMetricNames } from "#schema/workload-metrics.ts";

// `columns`: all requests of the workload, `errors` the texts they point at.
export function workloadData(report: WorkloadReport, columns: RequestColumns, errors: readonly string[]): object {
  const { tool, engine, modelName, layers, startedAt, requests, failed, stated, computed, aggregates, notes } = report;
  const originS = startedAt === null ? null : Date.parse(startedAt) / 1000;
  const ms = (us: number | null | undefined) => (us === null || us === undefined ? null : us / 1000);
  return {
    model: modelName, engine, tool, num_layers: layers, started_at: startedAt, start_times: originS === null ? "seconds since the first request" : "Unix seconds",
    summary: { num_requests: requests, num_failed: failed, source: computed === null ? "file" : "requests", ...summaryMs(computed ?? stated) },
    engine_aggregates: aggregates, notes,
    requests: columns.request.map((request, row) => ({
      request_id: request, start_time: columns.startUs[row] == null ? null : (originS ?? 0) + columns.startUs[row] / 1e6,
      queue_ms: ms(columns.queueUs[row]), client_queue_time_ms: ms(columns.clientQueueUs[row]), prefill_ms: ms(columns.prefillUs[row]), ttft_ms: ms(columns.ttftUs[row]), decode_ms: ms(columns.decodeUs[row]),
      tpot_ms: ms(columns.tpotUs[row]), latency_ms: ms(columns.latencyUs[row]),
      itl_count: columns.itlCount[row], itl_p50_ms: ms(columns.itlP50Us[row]), itl_p90_ms: ms(columns.itlP90Us[row]), itl_p99_ms: ms(columns.itlP99Us[row]), itl_max_ms: ms(columns.itlMaxUs[row]),
      input_len: columns.inputTokens[row], output_len: columns.outputTokens[row], success: !columns.failed[row], error: errors[columns.error[row]!],
    })),
  };
}

function summaryMs(figures: WorkloadFigures): object {
  return Object.fromEntries(workloadMetricNames.flatMap((name) => {
    const statistics = figures[name];
    if (statistics === undefined) return [];
    const { n, percentiles, ...moments } = statistics;
    const values = Object.entries({ ...moments, ...percentiles }).filter((entry): entry is [string, number] => entry[1] !== undefined);
    return [[name.replace(/Us$/, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), { n, unit: "ms", ...Object.fromEntries(values.map(([part, us]) => [part, us / 1000])) }]];
  }));
}
