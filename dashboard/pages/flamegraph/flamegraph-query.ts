// The flamegraph and the executions of a selection, as the URL describes it.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ExecutionsList } from "#schema/api/executions.ts";
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";
import type { FlamegraphTop, FrameModules, ModuleFrames } from "#schema/api/flamegraph-tables.ts";
import type { RankedBy } from "#schema/ranked-by.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import type { TimeRange } from "../../parts/time-range.ts";
import { computedAnswer } from "./computed-answer.ts";

// What is selected, and how it is looked at.
export function viewQuery(range: TimeRange, { filter, type, execution, layers, hide, invert, frame, side }: FlamegraphSearch) {
  return { ...range, filter, type, execution, layers, hide, invert, frame, side };
}

type ViewQuery = ReturnType<typeof viewQuery>;

function sameButHidden({ layers: _a, hide: _b, ...one }: ViewQuery, { layers: _c, hide: _d, ...other }: ViewQuery): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function flamegraphQuery(tenant: string, range: TimeRange, search: FlamegraphSearch) {
  const query = viewQuery(range, search);
  return queryOptions<Flamegraph>({
    queryKey: ["flamegraph", tenant, query],
    // Of an answer at hand from which nothing was cut, the one without some kinds is made here, the first time. Afterwards, and on refreshing, the server is asked.
    queryFn: ({ signal, client, queryKey }) => {
      const known = client.getQueryData(queryKey) === undefined ? client.getQueryCache().findAll({ queryKey: ["flamegraph", tenant], stale: false }) : [];
      for (const { queryKey: asked, state } of known) {
        const at = asked[2] as typeof query;
        const graph = state.data as Flamegraph | undefined;
        const made = graph?.truncated.nodes === 0 && sameButHidden(at, query) ? computedAnswer(graph, at, query) : undefined;
        if (made !== undefined) return made;
      }
      return fetchApi<Flamegraph>(tenant, "/flamegraph", { signal, query });
    },
    structuralSharing: false, // of 200,000 nodes it takes longer than to draw them
    placeholderData: (previous, before) => {
      const asked = before?.queryKey[2] as typeof query | undefined;
      if (previous === undefined || asked === undefined) return previous;
      return (sameButHidden(asked, query) ? computedAnswer(previous, asked, query) : undefined) ?? previous;
    },
  });
}

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

export function topQuery(tenant: string, range: TimeRange, { filter, type, execution, sort }: FlamegraphSearch, by: RankedBy) {
  const query = { ...range, filter, type, execution, sort, by };
  return queryOptions({
    queryKey: ["flamegraph-top", tenant, query],
    queryFn: ({ signal }) => fetchApi<FlamegraphTop>(tenant, "/flamegraph/top", { signal, query }),
    placeholderData: keepPreviousData,
  });
}

// The modules that a frame lies in, wherever it occurs.
export function frameModulesQuery(tenant: string, range: TimeRange, { filter, type, execution }: FlamegraphSearch, frame: string) {
  const query = { ...range, filter, type, execution, frame, limit: 20 };
  return queryOptions({
    queryKey: ["frame-modules", tenant, query],
    queryFn: ({ signal }) => fetchApi<FrameModules>(tenant, "/flamegraph/modules", { signal, query }),
  });
}

// A module beside its copies in the other blocks.
export function copiesQuery(tenant: string, range: TimeRange, { filter, type, execution }: FlamegraphSearch, pattern: string) {
  const query = { ...range, filter, type, execution, module_path: pattern, limit: 20 };
  return queryOptions({
    queryKey: ["module-copies", tenant, query],
    queryFn: ({ signal }) => fetchApi<ModuleFrames>(tenant, "/flamegraph/frames", { signal, query }),
  });
}

export function executionsQuery(tenant: string) {
  return queryOptions({ queryKey: ["executions", tenant], queryFn: ({ signal }) => fetchApi<ExecutionsList>(tenant, "/executions", { signal }) });
}
