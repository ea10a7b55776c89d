// The runs of serving benchmarks that were imported: one row a run.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { keepRange } from "../../app/keep-range.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import control from "../../parts/control.module.css";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { parseTableSort, printTableSort, sortRows, type TableSort } from "../../parts/table-sort.ts";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { workloadsColumns } from "./workloads-columns.tsx";
import { workloadsQuery } from "./workloads-query.ts";
import style from "./workloads-page.module.css";

const usual = { from: "-30d", to: "now" }; // benchmarks are run now and then
const latestFirst: TableSort = { column: "imported", descending: true };

export function WorkloadsPage() {
  const { tenant } = useSession();
  const search = useSearch({ from: "/t/$tenant/workloads" });
  const navigate = useNavigate({ from: "/t/$tenant/workloads" });
  const list = useInfiniteQuery(workloadsQuery(tenant, useTimeRange(usual)));
  const [selected, setSelected] = useState<number | null>(null);
  const workloads = useMemo(() => list.data?.pages.flatMap((page) => page.workloads) ?? [], [list.data]);
  const columns = useMemo(() => workloadsColumns(tenant, workloads), [tenant, workloads]);
  const sort = parseTableSort(search.sort, columns, latestFirst);
  const rows = sortRows(workloads.map((_, row) => row), columns.find(({ name }) => name === sort.column)!, sort.descending);
  const ingestedThrough = list.data?.pages.at(-1)?.ingestedThrough;
  return (
    <div className={style.page}>
      <PageHeader title="Workloads" ranged={usual} ingestedThrough={ingestedThrough} refresh={() => void list.refetch()} refreshing={list.isFetching} />
      {list.isPending && <Loading what="workloads" />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && workloads.length === 0 && <NoWorkloads nothingYet={ingestedThrough === null} />}
      {workloads.length > 0 && (
        <>
          <p className={style.count} data-testid="workloads-count">
            {workloads.length}
            {list.hasNextPage ? "+" : ""} {workloads.length === 1 ? "run" : "runs"} of serving benchmarks, by the time of their import
          </p>
          <VirtualTable
            label="Workloads"
            columns={columns}
            rows={rows}
            sort={sort}
            onSort={(next) => void navigate({ search: (old) => ({ ...old, sort: printTableSort(next, latestFirst) }), replace: true })}
            selected={selected}
            onSelect={setSelected}
            onOpen={(row) => {
              const { id, complete } = workloads[row]!;
              if (complete) void navigate({ to: "/t/$tenant/workloads/$workload", params: { tenant, workload: id }, search: keepRange as never });
            }}
            testId="workloads-table"
          />
        </>
      )}
      {list.hasNextPage && (
        <p className={style.more}>
          <button type="button" className={control.button} disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more runs
          </button>
        </p>
      )}
    </div>
  );
}

function NoWorkloads({ nothingYet }: { readonly nothingYet: boolean }) {
  return (
    <Empty title={nothingYet ? "No benchmark was imported yet" : "No benchmark was imported in this time range"} testId="no-workloads">
      <p>
        A workload is one run of a serving benchmark: its requests, the figures its file states, and the same figures computed from the requests.
        {!nothingYet && " Choose a longer range above, or import a run:"}
      </p>
      <p>
        <code>vllm bench serve … --save-result --save-detailed</code>
      </p>
      <p>
        <code>npx lamella import openai-infqps.json</code>
      </p>
      <p>Results of SGLang, InferenceX, GuideLLM, AIPerf and LLMPerf are read too. Without --save-detailed a vLLM file has figures only, no requests.</p>
    </Empty>
  );
}
