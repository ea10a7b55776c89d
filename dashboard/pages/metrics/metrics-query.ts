// Which metrics there are, and those of the panels step by step.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { MetricSeries, MetricSummary } from "#schema/api/metrics.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import type { MetricsSearch } from "../../app/url-state.ts";
import type { TimeRange } from "../../parts/time-range.ts";
import type { Asked } from "./panels.ts";

export type MetricsList = { readonly range: { readonly from: string; readonly to: string }; readonly ingestedThrough: string | null; readonly metrics: readonly MetricSummary[] };

export function metricsQuery(tenant: string, range: TimeRange) {
  return queryOptions({ queryKey: ["metrics", tenant, range], queryFn: ({ signal }) => fetchApi<MetricsList>(tenant, "/metrics", { signal, query: range }), placeholderData: keepPreviousData });
}

export function seriesQuery(tenant: string, range: TimeRange, { engine, host, model }: MetricsSearch, { metric, reason }: Asked) {
  const query = { ...range, metric, engine, host, model, labels: reason === undefined ? undefined : `finished_reason=${reason}` };
  return queryOptions({ queryKey: ["metric-series", tenant, query], queryFn: ({ signal }) => fetchApi<MetricSeries>(tenant, "/metrics/series", { signal, query }), placeholderData: keepPreviousData });
}
