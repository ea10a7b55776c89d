// The figures that the page shows: of the whole run as the server computed them, of some of its requests computed here by the same code.
import type { WorkloadReport } from "#schema/api/workloads.ts";
import { computeFigures } from "#core/workload/compute-figures.ts";
import type { Figures } from "#core/workload/figures.ts";
import type { Requests } from "#core/workload/requests.ts";

export type ShownFigures = {
  readonly computed: Figures | null; // null: the file has no requests
  readonly stated: Figures | null; // null: of some requests the file says nothing
};

// `some`: the requests that are shown; null: all of them. Their rates are over the time of the whole run: what these requests contributed.
export function figuresOf(report: WorkloadReport, some: Requests | null): ShownFigures {
  if (some === null) return { computed: report.computed, stated: report.stated };
  return { computed: computeFigures(some, durationOf(report)), stated: null };
}

export function durationOf({ stated, computed }: Pick<WorkloadReport, "stated" | "computed">): number | undefined {
  return stated.durationS ?? computed?.durationS;
}
