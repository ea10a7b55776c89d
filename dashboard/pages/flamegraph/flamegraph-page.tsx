// The flamegraph of a selection. All that decides what is shown is in the URL.
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import { useFieldValues } from "../../app/use-field-values.ts";
import { toApiError } from "../../parts/api-error.ts";
import { isFilterProblem } from "../../parts/is-filter-problem.ts";
import { LazyFilterBar } from "../../parts/lazy-filter-bar.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { isComparing } from "./is-comparing.ts";
import { isComputed } from "./computed-answer.ts";
import { useHiddenLayers } from "./use-hidden-layers.ts";
import { ExecutionPicker, ProfileTypePicker } from "./execution-picker.tsx";
import { flamegraphQuery } from "./flamegraph-query.ts";
import { FlamegraphView } from "./flamegraph-view.tsx";
import { useChangeSearch } from "./use-change-search.ts";
import style from "./flamegraph-page.module.css";

const ComparisonPage = lazy(async () => ({ default: (await import("./comparison-page.tsx")).ComparisonPage }));

export function FlamegraphPage() {
  const search = useSearch({ from: "/t/$tenant/flamegraph" });
  if (!isComparing(search)) return <OnePage search={search} />;
  return (
    <Suspense fallback={<Loading what="the comparison" rows={14} />}>
      <ComparisonPage search={search} />
    </Suspense>
  );
}

function OnePage({ search }: { readonly search: FlamegraphSearch }) {
  const { tenant } = useSession();
  const range = useTimeRange();
  const values = useFieldValues();
  const answer = useQuery(flamegraphQuery(tenant, range, search));
  const error = answer.isError ? toApiError(answer.error) : null;
  const change = useChangeSearch();
  const graph = error === null ? answer.data : undefined;
  useHiddenLayers(answer.isPlaceholderData ? undefined : graph, search);
  return (
    <div className={style.page}>
      <PageHeader
        title="Flamegraph"
        ranged
        ingestedThrough={answer.data?.ingestedThrough}
        refresh={() => void answer.refetch()}
        refreshing={answer.isFetching}
      />
      <div className={style.toolbar}>
        <ExecutionPicker value={search.execution} change={(execution) => change({ execution, focus: undefined })} />
        <ProfileTypePicker value={search.type} change={(type) => change({ type, focus: undefined })} />
        <LazyFilterBar
          page="flamegraph"
          value={search.filter ?? ""}
          problem={error}
          values={values}
          apply={(filter) => change({ filter: filter === "" ? undefined : filter })}
        />
      </div>
      {answer.isPending && error === null && <Loading what="the flamegraph" rows={14} />}
      {error !== null && !isFilterProblem(error) && <Failure error={error} retry={() => void answer.refetch()} />}
      {graph !== undefined && graph.whole === 0 && <NoSamples nothingYet={graph.ingestedThrough === null} filtered={(search.filter ?? "") !== ""} />}
      {graph !== undefined && graph.whole > 0 && <FlamegraphView graph={graph} stale={answer.isPlaceholderData && !isComputed(graph)} search={search} change={change} />}
    </div>
  );
}

function NoSamples({ nothingYet, filtered }: { readonly nothingYet: boolean; readonly filtered: boolean }) {
  return (
    <Empty title={nothingYet ? "Nothing was ingested yet" : "No samples in this time range"} testId="no-samples">
      {nothingYet ? (
        <p>Samples appear here within seconds of their arrival. Import a PyTorch trace to see one now:</p>
      ) : (
        <p>
          The data is complete up to the time shown above, so there is nothing rather than nothing yet. Choose a longer range
          {filtered && ", a wider filter"} or an execution, or import a PyTorch trace:
        </p>
      )}
      <p>
        <code>npx lamella import trace.json.gz</code>
      </p>
    </Empty>
  );
}
