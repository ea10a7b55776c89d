// The models of a time range and filter, one page of the API after another.
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { ModelsList } from "#schema/api/models.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import type { TimeRange } from "../../parts/time-range.ts";

export function modelsQuery(tenant: string, range: TimeRange, filter: string) {
  return infiniteQueryOptions({
    queryKey: ["models", tenant, range, filter],
    queryFn: ({ signal, pageParam }) => fetchApi<ModelsList>(tenant, "/models", { signal, query: { ...range, filter, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });
}
