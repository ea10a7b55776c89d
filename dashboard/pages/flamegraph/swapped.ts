// The URL of the same comparison the other way round. What the answer says of the sides is written out, so that nothing relative to B moves with it.
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import type { TimeRange } from "../../parts/time-range.ts";
import { noFilter } from "./is-comparing.ts";

type Sides = Pick<FlamegraphComparison, "a" | "b">;

export function swapped(search: FlamegraphSearch, range: TimeRange, { a, b }: Sides): Partial<FlamegraphSearch> & Partial<TimeRange> {
  const ofA = search.compareFilter ?? search.filter;
  const filterOfA = ofA?.trim() === "" ? undefined : ofA;
  return {
    execution: a.execution?.id ?? "live",
    filter: filterOfA,
    compare: b.execution?.id ?? "live",
    compareFilter: filterOfA === search.filter ? undefined : (search.filter ?? noFilter),
    // Executions are not told apart by time; their range stays what it is.
    ...(a.execution === null ? { from: a.range.from, to: a.range.to } : {}),
    compareFrom: b.execution === null ? b.range.from : undefined,
    compareTo: b.execution === null ? b.range.to : undefined,
    changes: search.changes === "gone" ? "new" : search.changes === "new" ? "gone" : undefined,
    focus: undefined,
    ...(a.execution !== null && b.execution === null ? { from: range.from, to: range.to } : {}),
  };
}
