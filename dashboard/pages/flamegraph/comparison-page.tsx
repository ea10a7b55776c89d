// Two selections beside one another: B, what the page is about, and A, what was. Where the answer cannot be had it says why, and the way back is always there.
import { useQuery } from "@tanstack/react-query";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import { useFieldValues } from "../../app/use-field-values.ts";
import { toApiError } from "../../parts/api-error.ts";
import { FilterBar } from "../../parts/filter-bar.tsx";
import { isFilterProblem } from "../../parts/is-filter-problem.ts";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { ComparisonBar } from "./comparison-bar.tsx";
import { ComparisonView } from "./comparison-view.tsx";
import { ExecutionPicker, ProfileTypePicker } from "./execution-picker.tsx";
import { comparisonQuery } from "./comparison-query.ts";
import { useChangeSearch } from "./use-change-search.ts";
import style from "./flamegraph-page.module.css";

export function ComparisonPage({ search }: { readonly search: FlamegraphSearch }) {
  const { tenant } = useSession();
  const range = useTimeRange();
  const values = useFieldValues();
  const change = useChangeSearch();
  const answer = useQuery(comparisonQuery(tenant, range, search));
  const error = answer.isError ? toApiError(answer.error) : null;
  const comparison = error === null ? answer.data : undefined;
  const nothing = comparison !== undefined && comparison.a.value === 0 && comparison.b.value === 0;
  return (
    <div className={style.page}>
      <PageHeader title="Flamegraph" ranged ingestedThrough={answer.data?.ingestedThrough} refresh={() => void answer.refetch()} refreshing={answer.isFetching} />
      <div className={style.toolbar}>
        <ExecutionPicker value={search.execution} change={(execution) => change({ execution, focus: undefined })} />
        <ProfileTypePicker value={search.type} change={(type) => change({ type, focus: undefined })} />
        <FilterBar page="flamegraph" value={search.filter ?? ""} problem={error} values={values} apply={(filter) => change({ filter: filter === "" ? undefined : filter })} />
      </div>
      <ComparisonBar search={search} comparison={comparison} change={change} />
      {answer.isPending && error === null && <Loading what="the comparison" rows={14} />}
      {error !== null && !isFilterProblem(error) && <Failure error={error} retry={() => void answer.refetch()} />}
      {nothing && (
        <Empty title="No samples on either side" testId="no-comparison">
          <p>Neither selection has samples. Choose a longer range, another execution or another filter for one of them, or stop comparing.</p>
        </Empty>
      )}
      {comparison !== undefined && !nothing && <ComparisonView comparison={comparison} stale={answer.isPlaceholderData} search={search} change={change} />}
    </div>
  );
}
