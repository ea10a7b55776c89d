// Two selections, as the URL describes them.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import type { TimeRange } from "../../parts/time-range.ts";

// What was (A) and what is (B). Layers are folded unless the URL says otherwise, as models differ in how many they have.
export function comparisonQuery(tenant: string, range: TimeRange, { filter, type, execution, layers, hide, basis, compare, compareFrom, compareTo, compareFilter }: FlamegraphSearch) {
  const query = {
    ...range, filter, type, execution, layers, hide, basis,
    a_execution: compare === "before" ? undefined : compare,
    a_from: compareFrom, a_to: compareTo ?? (compareFrom === undefined ? undefined : "now"), a_filter: compareFilter,
  };
  return queryOptions({
    queryKey: ["flamegraph-compare", tenant, query],
    queryFn: ({ signal }) => fetchApi<FlamegraphComparison>(tenant, "/flamegraph/compare", { signal, query }),
    placeholderData: keepPreviousData,
  });
}
