// One imported trace or recording: what every module, layer, operator and kernel of it took.
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { printable } from "#core/printable.ts";
import { keepRange } from "../../app/keep-range.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { toApiError } from "../../parts/api-error.ts";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { ExecutionFacts } from "./execution-facts.tsx";
import { ExecutionGaps } from "./execution-gaps.tsx";
import { executionQuery, recordQuery } from "./execution-query.ts";
import { ExecutionViews } from "./execution-views.tsx";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./execution-page.module.css";

export function ExecutionPage() {
  const { tenant } = useSession();
  const { execution: id } = useParams({ from: "/t/$tenant/executions/$execution" });
  const [search] = useExecutionSearch();
  const summary = useQuery(executionQuery(tenant, id));
  const record = useQuery({ ...recordQuery(tenant, id, summary.data?.complete ?? false), enabled: summary.isSuccess });
  const others = useMemo(() => [...new Set((search.with ?? "").split(","))].filter((other) => other !== "" && other !== id), [search.with, id]);
  const summaries = useQueries({ queries: others.map((other) => executionQuery(tenant, other)) });
  const records = useQueries({ queries: others.map((other) => recordQuery(tenant, other, true)) });
  const failed = [...summaries, ...records].find(({ isError }) => isError);
  const ready = summaries.every(({ isSuccess }) => isSuccess) && records.every(({ isSuccess }) => isSuccess);
  const key = [...summaries, ...records].map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  const open = useMemo(() => (summary.data === undefined || record.data === undefined ? undefined : { execution: summary.data, record: record.data }), [summary.data, record.data]);
  // The answers of useQueries are new objects on every render; when they came says whether they are others.
  // oxlint-disable-next-line react/exhaustive-deps
  const beside = useMemo(() => (ready ? others.map((_, at) => ({ execution: summaries[at]!.data!, record: records[at]!.data! })) : []), [ready, key, others]);
  const error = summary.isError ? toApiError(summary.error) : record.isError ? toApiError(record.error) : null;
  const retry = () => void (summary.isError ? summary.refetch() : record.refetch());
  return (
    <div className={style.page}>
      <PageHeader
        title={summary.data === undefined ? "Execution" : printable(summary.data.name)}
        before={
          <>
            <Link to="/t/$tenant/executions" params={{ tenant }} search={keepRange as never} className={style.back}>
              Executions
            </Link>
            <span className={style.slash} aria-hidden="true">
              /
            </span>
          </>
        }
        refresh={() => void Promise.all([summary.refetch(), record.refetch()])}
        refreshing={summary.isFetching || record.isFetching}
      />
      {error === null && open === undefined && <Loading what="the execution" rows={12} />}
      {error !== null && (error.status === 404 && error.code !== "record_not_stored" ? <NotThere /> : error.code === "record_not_stored" ? <NoRecord id={id} detail={error.detail} /> : <Failure error={error} retry={retry} />)}
      {error === null && open !== undefined && (
        <>
          <ExecutionFacts execution={open.execution} record={open.record} />
          <ExecutionGaps record={open.record} />
          {!open.execution.complete && (
            <p className={style.note} role="note" data-testid="incomplete">
              {open.execution.parts.stored} of {open.execution.parts.of} parts are stored: the flamegraph shows it once all are. Import the same file again if the import was interrupted.
            </p>
          )}
          {failed !== undefined && (
            <p className={style.note} role="note">
              An execution to put beside it could not be read: {toApiError(failed.error).detail}
            </p>
          )}
          {failed === undefined && !ready ? <Loading what="the executions beside it" rows={12} /> : <ExecutionViews open={open} beside={beside} />}
        </>
      )}
    </div>
  );
}

function NoRecord({ id, detail }: { readonly id: string; readonly detail: string }) {
  const { tenant } = useSession();
  return (
    <Empty title="This execution has no record" testId="no-record">
      <p>{detail}</p>
      <p>
        <code>npx lamella import FILE --again</code>
      </p>
      <p>
        Its stacks are stored:{" "}
        <Link to="/t/$tenant/flamegraph" params={{ tenant }} search={((old: Record<string, unknown>) => ({ ...keepRange(old), execution: id })) as never}>
          open it in the flamegraph
        </Link>
        .
      </p>
    </Empty>
  );
}

function NotThere() {
  const { tenant } = useSession();
  return (
    <Empty title="No such execution" testId="execution-not-found">
      <p>
        No execution of this tenant has this id. Pick one from the{" "}
        <Link to="/t/$tenant/executions" params={{ tenant }} search={keepRange as never}>
          list of executions
        </Link>
        .
      </p>
    </Empty>
  );
}
