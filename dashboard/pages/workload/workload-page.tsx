// One run of a serving benchmark.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { printable } from "#core/printable.ts";
import { loadText } from "#core/workload/load.ts";
import { requestsOfColumns } from "#core/workload/requests-of-columns.ts";
import { requestColumns } from "#core/workload/requests.ts";
import type { WorkloadDetail } from "#schema/api/workloads.ts";
import { keepRange } from "../../app/keep-range.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import type { ChangeWorkload } from "../../app/url-state.ts";
import { toApiError } from "../../parts/api-error.ts";
import { Moment } from "../../parts/moment.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { durationOf } from "./figures-of.ts";
import { requestsQuery, workloadQuery } from "./workload-query.ts";
import { WorkloadView } from "./workload-view.tsx";
import style from "./workload-page.module.css";

export function WorkloadPage() {
  const { tenant } = useSession();
  const search = useSearch({ from: "/t/$tenant/workloads/$workload" });
  const navigate = useNavigate({ from: "/t/$tenant/workloads/$workload" });
  const change = useCallback<ChangeWorkload>(
    (next, replace = false) => {
      void navigate({ search: (old) => ({ ...old, ...next }), replace, resetScroll: false });
    },
    [navigate],
  );
  const { workload: id } = useParams({ from: "/t/$tenant/workloads/$workload" });
  const detail = useQuery(workloadQuery(tenant, id));
  const pages = useInfiniteQuery(requestsQuery(tenant, id));
  const { hasNextPage, isFetching, fetchNextPage } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const report = detail.data;
  // Figures of some of the requests would pass for figures of the run: nothing is drawn before the last page is there.
  const requests = useMemo(() => {
    if (report === undefined || pages.data === undefined || pages.hasNextPage) return undefined;
    return report.requests === 0 ? requestColumns([]) : requestsOfColumns(pages.data.pages, report.latencyEstimated);
  }, [report, pages.data, pages.hasNextPage]);
  const error = detail.error ?? pages.error;
  const loaded = pages.data?.pages.reduce((sum, page) => sum + page.columns.request.length, 0) ?? 0;
  return (
    <>
      <PageHeader
        title={report === undefined ? "Workload" : printable(report.name)}
        before={
          <>
            <Link to="/t/$tenant/workloads" params={{ tenant }} search={keepRange as never} className={style.back}>
              Workloads
            </Link>
            <span className={style.slash} aria-hidden="true">
              /
            </span>
          </>
        }
      />
      {report !== undefined && error === null && <About report={report} />}
      {error !== null && <NoWorkload error={error} retry={() => void (detail.refetch(), pages.refetch())} />}
      {error === null && requests === undefined && (
        <>
          {report !== undefined && report.requests > 0 && (
            <p className={style.progress} role="status">
              {loaded.toLocaleString("en-US")} of {report.requests.toLocaleString("en-US")} requests loaded
            </p>
          )}
          <Loading what="the run" />
        </>
      )}
      {report !== undefined && error === null && requests !== undefined && <WorkloadView report={report} requests={requests} search={search} change={change} />}
    </>
  );
}

function About({ report }: { readonly report: WorkloadDetail }) {
  const { tenant } = useSession();
  const { label, tool, toolVersion, engine, modelName, layers, load, requests, startedAt, dateText, importedAt } = report;
  const durationS = durationOf(report);
  const words = [label, `${tool} ${toolVersion}`.trim(), engine, modelName, layers === null ? "" : `${layers} layers`, loadText(load), requests === 0 ? "figures only" : "", startedAt === null ? (dateText === "" ? "start not known" : `dated ${dateText}`) : ""];
  return (
    <p className={style.about} data-testid="workload-about">
      {words.filter((word) => word !== "").map((word) => (
        <span key={word}>{printable(word)}</span>
      ))}
      {startedAt !== null && (
        <span>
          started <Moment iso={startedAt} />
        </span>
      )}
      {startedAt !== null && durationS !== undefined && (
        <span>
          meanwhile:{" "}
          <Link to="/t/$tenant/flamegraph" params={{ tenant }} search={timeOf(startedAt, durationS) as never}>
            flamegraph
          </Link>
          ,{" "}
          <Link to="/t/$tenant/metrics" params={{ tenant }} search={timeOf(startedAt, durationS) as never}>
            engine metrics
          </Link>
        </span>
      )}
      <span>
        imported <Moment iso={importedAt} />
      </span>
    </p>
  );
}

// The time of the run, as a range of the other pages. Its start is known to the second.
function timeOf(startedAt: string, durationS: number): { readonly from: string; readonly to: string } {
  const fromS = Math.floor(Date.parse(startedAt) / 1_000);
  return { from: String(fromS), to: String(fromS + Math.ceil(durationS) + 1) };
}

function NoWorkload({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const problem = toApiError(error);
  if (problem.code !== "not_found") return <Failure error={error} retry={retry} />;
  if (problem.detail.includes("still arriving")) return <Failure error={error} retry={retry} />;
  return (
    <Empty title="There is no such run" testId="workload-not-found">
      <p>Its data may be past the tenant's retention, or the address is cut short. The list of runs is under Workloads.</p>
    </Empty>
  );
}
