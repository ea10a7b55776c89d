// An execution and its record. Once all its parts are stored a record never changes, so it is asked for once; that of one whose parts still arrive is asked again.
import { queryOptions } from "@tanstack/react-query";
import type { ExecutionComparison } from "#schema/api/execution-comparison.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import { fetchApi } from "../../app/fetch-api.ts";

export function executionQuery(tenant: string, id: string) {
  return queryOptions({ queryKey: ["execution", tenant, id], queryFn: ({ signal }) => fetchApi<ExecutionSummary>(tenant, `/executions/${id}`, { signal }) });
}

export function recordQuery(tenant: string, id: string, complete: boolean) {
  return queryOptions({
    queryKey: ["execution-record", tenant, id],
    queryFn: ({ signal }) => fetchApi<ExecutionRecord>(tenant, `/executions/${id}/record`, { signal }),
    staleTime: complete ? Number.POSITIVE_INFINITY : 10_000,
  });
}

export function comparisonQuery(tenant: string, id: string, other: string) {
  return queryOptions({
    queryKey: ["execution-comparison", tenant, id, other],
    queryFn: ({ signal }) => fetchApi<ExecutionComparison>(tenant, `/executions/${id}/compare`, { signal, query: { with: other, limit: 10_000 } }),
  });
}
