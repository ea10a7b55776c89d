// The models of a time range and filter in the server's order, one page of the API after another. The later pages ask for the moments that the first one meant by "now".
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { ModelsList } from "#schema/api/models.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import type { TimeRange } from "../../parts/time-range.ts";

type Next = { readonly cursor?: string; readonly range: TimeRange };

export function modelsQuery(tenant: string, range: TimeRange, filter: string, sort: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ["models", tenant, range, filter, sort],
    queryFn: ({ signal, pageParam: { cursor, range: { from, to } } }) => fetchApi<ModelsList>(tenant, "/models", { signal, query: { from, to, filter, sort, cursor } }),
    initialPageParam: { range } as Next,
    getNextPageParam: (last): Next | undefined => (last.next === null ? undefined : { cursor: last.next, range: last.range }),
    placeholderData: keepPreviousData,
  });
}
