// The benchmark runs of a time range, one page of the API after another.
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { workloadsList } from "#schema/api/workloads.ts";
import type * as z from "zod/mini";
import { fetchApi } from "../../app/fetch-api.ts";
import type { TimeRange } from "../../parts/time-range.ts";

type WorkloadsList = z.output<typeof workloadsList>;

export function workloadsQuery(tenant: string, range: TimeRange) {
  return infiniteQueryOptions({
    queryKey: ["workloads", tenant, range],
    queryFn: ({ signal, pageParam }) => fetchApi<WorkloadsList>(tenant, "/workloads", { signal, query: { ...range, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });
}
