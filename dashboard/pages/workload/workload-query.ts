// One run, and all of its requests, page after page. A stored run never changes, so neither is ever asked for twice.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { WorkloadDetail, WorkloadRequests } from "#schema/api/workloads.ts";
import { limits } from "#schema/limits.ts";
import { fetchApi } from "../../app/fetch-api.ts";

export function workloadQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: ["workload", tenant, id],
    queryFn: ({ signal }) => fetchApi<WorkloadDetail>(tenant, `/workloads/${encodeURIComponent(id)}`, { signal }),
    staleTime: Infinity,
  });
}

export function requestsQuery(tenant: string, id: string) {
  return infiniteQueryOptions({
    queryKey: ["workload-requests", tenant, id],
    queryFn: ({ signal, pageParam }) =>
      fetchApi<WorkloadRequests>(tenant, `/workloads/${encodeURIComponent(id)}/requests`, { signal, query: { limit: limits.workloadRequestsPerPageMax, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    staleTime: Infinity,
    structuralSharing: false, // with every page it would compare all columns of those before
  });
}
