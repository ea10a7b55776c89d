// The flamegraph and the executions of a selection, as the URL describes it.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ExecutionsList } from "#schema/api/executions.ts";
import type { FlamegraphTop } from "#schema/api/flamegraph-tables.ts";
import type { RankedBy } from "#schema/ranked-by.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import { freshMs } from "../../app/query-client.ts";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import type { TimeRange } from "../../parts/time-range.ts";
import { answerAtHand, sameButHidden } from "./answer-at-hand.ts";
import { computedAnswer } from "./computed-answer.ts";

// What is selected, and how it is looked at.
export function viewQuery(range: TimeRange, { filter, type, execution, layers, hide, invert, frame, side }: FlamegraphSearch) {
  return { ...range, filter, type, execution, layers, hide, invert, frame, side };
}

export function flamegraphQuery(tenant: string, range: TimeRange, search: FlamegraphSearch) {
  const query = viewQuery(range, search);
  return queryOptions<Flamegraph>({
    queryKey: ["flamegraph", tenant, query],
    // Of an answer at hand from which nothing was cut, the one without some kinds is made here, the first time. Afterwards, and on refreshing, the server is asked.
    queryFn: ({ signal, client, queryKey }) => {
      const made = client.getQueryData(queryKey) === undefined ? answerAtHand(client.getQueryCache().findAll({ queryKey: ["flamegraph", tenant] }), freshMs, query) : undefined;
      if (made !== undefined) return made;
      return fetchApi<Flamegraph>(tenant, "/flamegraph", { signal, query });
    },
    structuralSharing: false, // of 200,000 nodes it takes longer than to draw them
    placeholderData: (previous, before) => {
      const asked = before?.queryKey[2] as typeof query | undefined;
      if (previous === undefined || asked === undefined || before?.queryKey[1] !== tenant) return undefined; // nothing of another tenant
      return (sameButHidden(asked, query) ? computedAnswer(previous, asked, query) : undefined) ?? previous;
    },
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

export function executionsQuery(tenant: string) {
  return queryOptions({ queryKey: ["executions", tenant], queryFn: ({ signal }) => fetchApi<ExecutionsList>(tenant, "/executions", { signal }) });
}
