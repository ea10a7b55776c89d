// Every PyTorch model seen inside a process in the time range.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import { useFieldValues } from "../../app/use-field-values.ts";
import { toApiError } from "../../parts/api-error.ts";
import control from "../../parts/control.module.css";
import { FilterBar } from "../../parts/filter-bar.tsx";
import { isFilterProblem } from "../../parts/filter-problem.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { parseSort, printSort, sortModels } from "./models-columns.ts";
import { modelsQuery } from "./models-query.ts";
import { ModelsTable } from "./models-table.tsx";
import style from "./models-page.module.css";

export function ModelsPage() {
  const { tenant } = useSession();
  const range = useTimeRange();
  const values = useFieldValues();
  const search = useSearch({ from: "/t/$tenant/models" });
  const navigate = useNavigate({ from: "/t/$tenant/models" });
  const filter = search.filter ?? "";
  const list = useInfiniteQuery(modelsQuery(tenant, range, filter));
  const sort = parseSort(search.sort);
  const error = list.isError ? toApiError(list.error) : null;
  const models = list.data?.pages.flatMap((page) => page.models) ?? [];
  const ingestedThrough = list.data?.pages.at(-1)?.ingestedThrough;
  return (
    <>
      <PageHeader title="Models" ranged ingestedThrough={ingestedThrough} refresh={() => void list.refetch()} refreshing={list.isFetching} />
      <div className={style.bar}>
        <FilterBar
          page="models"
          value={filter}
          problem={error}
          values={values}
          apply={(next) => void navigate({ search: (old) => ({ ...old, filter: next === "" ? undefined : next }) })}
        />
        {list.isSuccess && (
          <span className={style.count} data-testid="models-count">
            {models.length}
            {list.hasNextPage ? "+" : ""} {models.length === 1 ? "model" : "models"}
          </span>
        )}
      </div>
      {list.isPending && <Loading what="models" />}
      {error !== null &&
        !isFilterProblem(error) &&
        (error.code === "flag_off" ? <FlagOff tenant={tenant} /> : <Failure error={error} retry={() => void list.refetch()} />)}
      {list.isSuccess && models.length === 0 && <NoModels nothingYet={ingestedThrough === null} filtered={filter !== ""} />}
      {list.isSuccess && models.length > 0 && (
        <ModelsTable
          models={sortModels(models, sort)}
          sort={sort}
          onSort={(next) => void navigate({ search: (old) => ({ ...old, sort: printSort(next) }), replace: true })}
        />
      )}
      {list.hasNextPage && (
        <p className={style.more}>
          <button type="button" className={control.button} disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more models
          </button>
        </p>
      )}
    </>
  );
}

function NoModels({ nothingYet, filtered }: { readonly nothingYet: boolean; readonly filtered: boolean }) {
  return (
    <Empty title="No models seen in this time range" testId="no-models">
      {nothingYet && <p>Nothing was ingested yet, so this may only be a matter of time.</p>}
      <p>Either</p>
      <ul>
        <li>no profiled process loaded a PyTorch model in the range: choose a longer range{filtered && <> or a wider filter</>} above; or</li>
        <li>
          extraction is not enabled for that process: set <code>LAMELLA_CUDAPROFILER__MODEL_SHAPE__ENABLED=true</code> in its environment (
          <code>LAMELLA_ROCMPROFILER__…</code> on AMD) and restart it.
        </li>
      </ul>
      <p>
        Without a GPU at hand, <code>python -m lamella.walk --name NAME --config config.json</code> sends the shape of any Hugging Face model.
      </p>
    </Empty>
  );
}

function FlagOff({ tenant }: { readonly tenant: string }) {
  return (
    <Empty title="Models are switched off for this tenant" testId="flag-off">
      <p>
        Models are in Beta. An owner switches them on under{" "}
        <Link to="/t/$tenant/settings/flags" params={{ tenant }}>
          Settings, Feature flags
        </Link>
        . Model Layer frames in the flamegraph do not depend on it.
      </p>
    </Empty>
  );
}
