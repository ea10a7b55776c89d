// Every imported trace and recording of the tenant.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { plural } from "#core/quantity.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import control from "../../parts/control.module.css";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { parseTableSort, printTableSort, sortRows, tableCsv } from "../../parts/table-sort.ts";
import { executionColumns, firstSort } from "./executions-columns.ts";
import { executionsQuery } from "./executions-query.ts";
import { ExecutionsTable } from "./executions-table.tsx";
import style from "./executions.module.css";

export function ExecutionsPage() {
  const { tenant } = useSession();
  const search = useSearch({ from: "/t/$tenant/executions" });
  const navigate = useNavigate({ from: "/t/$tenant/executions" });
  const list = useInfiniteQuery(executionsQuery(tenant));
  const executions = list.data?.pages.flatMap((page) => page.executions) ?? [];
  const columns = executionColumns(executions);
  const sort = parseTableSort(search.sort, columns, firstSort);
  const rows = [...sortRows(executions.map((_, row) => row), columns.find(({ name }) => name === sort.column)!, sort.descending)];
  return (
    <div className={style.page}>
      <PageHeader title="Executions" ingestedThrough={list.data?.pages.at(-1)?.ingestedThrough} refresh={() => void list.refetch()} refreshing={list.isFetching} />
      {list.isPending && <Loading what="executions" />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && executions.length === 0 && <NoExecutions />}
      {list.isSuccess && executions.length > 0 && (
        <>
          <div className={style.bar}>
            <p data-testid="executions-count">
              {plural(executions.length, "execution", "executions")}
              {list.hasNextPage && ", and older ones"}, imported in the last 90 days. <code>npx lamella import trace.json.gz</code> adds one.
            </p>
            <button type="button" className={control.button} onClick={() => saveFile("executions.csv", tableCsv(columns, rows), "text/csv;charset=utf-8")} data-testid="executions-csv">
              <Download size={13} aria-hidden="true" />
              CSV
            </button>
          </div>
          <ExecutionsTable
            executions={rows.map((row) => executions[row]!)}
            columns={columns}
            sort={sort}
            onSort={(next) => void navigate({ search: (old) => ({ ...old, sort: printTableSort(next, firstSort) }), replace: true })}
          />
        </>
      )}
      {list.hasNextPage && (
        <p className={style.more}>
          <button type="button" className={control.button} disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show older executions
          </button>
          {search.sort !== undefined && <span> The order is that of the executions shown here.</span>}
        </p>
      )}
    </div>
  );
}

function NoExecutions() {
  return (
    <Empty title="No executions yet" testId="no-executions">
      <p>An execution is one profile file, read: a trace of torch.profiler, rocprofv3 or Nsight Systems, pprof, speedscope and others. None was imported in the last 90 days.</p>
      <p>Import one:</p>
      <p>
        <code>npx lamella import trace.json.gz</code>
      </p>
      <p>
        <code>python -m lamella.record -o demo.trace.json.gz</code> records a small model, with a GPU or without one, and writes the module paths into the trace.
      </p>
    </Empty>
  );
}
