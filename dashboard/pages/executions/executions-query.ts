// The imported traces and recordings, latest first, one page of the API after another. Those of the last 90 days, the longest range the API takes.
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { ExecutionsList } from "#schema/api/executions.ts";
import { fetchApi } from "../../app/fetch-api.ts";

export const executionsFrom = "-90d";

export function executionsQuery(tenant: string) {
  return infiniteQueryOptions({
    queryKey: ["executions-list", tenant],
    queryFn: ({ signal, pageParam }) => fetchApi<ExecutionsList>(tenant, "/executions", { signal, query: { from: executionsFrom, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    staleTime: 10_000,
  });
}
