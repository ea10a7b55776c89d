// Several executions beside each other, one request each: a column of time for each, how they differ, and what grows with the input.
import { lazy, Suspense, useMemo } from "react";
import { mergeRequests, type MergedRequests } from "#core/trace/merge-requests.ts";
import { requestRows, type RequestRow } from "#core/trace/request-rows.ts";
import { sortSiblings } from "#core/trace/sort-siblings.ts";
import { printable } from "#core/printable.ts";
import { NoModules } from "./no-modules.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { sharesOfParent } from "./own-values.ts";
import { ProfilerTree } from "./profiler-tree.tsx";
import { comparedPair, pairDifference, requestColumns } from "./request-columns.tsx";
import { RequestsStrip } from "./requests-strip.tsx";
import { fileStem } from "./save-record.tsx";
import { moduleTree } from "./tree-rows.ts";
import { measuresOf, unlikeMeasures } from "./unlike-measures.ts";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./profiler-view.module.css";

// Of the first execution: the one the page is of.
const SelectedModule = lazy(async () => ({ default: (await import("./selected-module.tsx")).SelectedModule }));

export function RequestsView({ open, beside }: { readonly open: OpenExecution; readonly beside: readonly OpenExecution[] }) {
  const all = useMemo(() => [open, ...beside], [open, beside]);
  const [search] = useExecutionSearch();
  const sort = search.sort;
  const measures = useMemo(() => measuresOf(all.map(({ record }) => record.profileType)), [all]);
  const { merged, tree, columns } = useMemo(() => {
    const together = distinctLabels(mergeRequests(all.map(({ record }) => record), all.map(({ execution }) => execution.name)), all);
    const [from, to] = comparedPair(together);
    const rows = requestRows(together);
    const first = (row: RequestRow) => row.values[0] ?? 0;
    const key = sort === "difference" && measures.alike ? (row: RequestRow) => Math.abs(pairDifference(row, from, to)) : sort === "value" ? first : undefined;
    const shown = moduleTree(together, key === undefined ? rows : sortSiblings(rows, key), (row) => Math.max(...row.values.map((value) => value ?? 0)));
    return { merged: together, tree: shown, columns: requestColumns(together, measures, sharesOfParent(shown, (row) => row.values[from] ?? 0, together.requests[from]!.value)) };
  }, [all, sort, measures]);
  const unlike = unlikeMeasures(all.map(({ record }, at) => ({ label: merged.requests[at]!.label, profileType: record.profileType })));
  if (tree.nodes.length === 0) return <NoModules record={all[0]!.record} />;
  return (
    <div className={style.column}>
      <RequestsStrip all={all} merged={merged} />
      {unlike !== "" && (
        <p className={style.note} role="note" data-testid="unlike-measures">
          {printable(unlike)}.
        </p>
      )}
      <div className={style.split}>
        <ProfilerTree
          tree={tree}
          columns={columns}
          fileName={`${fileStem(all[0]!.execution)}.requests.csv`}
          orders={{ "": "In order of the first call", ...(measures.alike ? { difference: "Those that differ most first" } : {}), value: "Those that took most first" }}
        />
        {search.path !== undefined && (
          <Suspense fallback={null}>
            <SelectedModule open={open} path={search.path} of={merged.requests[0]!.label} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

// The same request twice, as eager and compiled: its label says which only with the execution's name.
function distinctLabels(merged: MergedRequests, all: readonly OpenExecution[]): MergedRequests {
  const labels = merged.requests.map(({ label }) => label);
  const twice = (label: string) => labels.indexOf(label) !== labels.lastIndexOf(label);
  return { ...merged, requests: merged.requests.map((request, at) => (twice(request.label) && request.label !== all[at]!.execution.name ? { ...request, label: `${request.label} · ${all[at]!.execution.name}` } : request)) };
}
