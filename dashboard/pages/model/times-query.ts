// The samples' time by module, of the whole selection: what the graph, the list and the details show beside the structure.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { FlamegraphTop } from "#schema/api/flamegraph-tables.ts";
import { limits } from "#schema/limits.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import type { TimeRange } from "../../parts/time-range.ts";

export function timesQuery(tenant: string, range: TimeRange, filter: string | undefined, wanted: boolean) {
  const query = { ...range, filter, by: "module", sort: "total", limit: limits.topModuleRowsMax } as const;
  return queryOptions({
    queryKey: ["module-times", tenant, query],
    queryFn: ({ signal }) => fetchApi<FlamegraphTop>(tenant, "/flamegraph/top", { signal, query }),
    placeholderData: keepPreviousData,
    enabled: wanted,
  });
}
