// Every PyTorch model seen inside a process in the time range.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Download } from "lucide-react";
import type { ModelRow } from "#schema/api/models.ts";
import { keepRange } from "../../app/keep-range.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import { useToast } from "../../app/toasts.tsx";
import { useFieldValues } from "../../app/use-field-values.ts";
import { toApiError } from "../../parts/api-error.ts";
import control from "../../parts/control.module.css";
import { FilterBar } from "../../parts/filter-bar.tsx";
import { isFilterProblem } from "../../parts/is-filter-problem.ts";
import { saveFile } from "../../parts/save-file.ts";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { modelsCsv, parseSort, printSort } from "./models-columns.ts";
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
  const sort = parseSort(search.sort);
  const list = useInfiniteQuery(modelsQuery(tenant, range, filter, printSort(sort)));
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
            {list.hasNextPage ? `the first ${models.length} models` : `${models.length} ${models.length === 1 ? "model" : "models"}`}
          </span>
        )}
        {models.length > 0 && <SaveCsv models={models} more={list.hasNextPage} tenant={tenant} />}
      </div>
      {list.isPending && <Loading what="models" />}
      {error !== null &&
        !isFilterProblem(error) &&
        (error.code === "flag_off" ? <FlagOff tenant={tenant} /> : <Failure error={error} retry={() => void list.refetch()} />)}
      {list.isSuccess && models.length === 0 && (
        <NoModels
          tenant={tenant}
          nothingYet={ingestedThrough === null}
          clearFilter={filter === "" ? null : () => void navigate({ search: (old) => ({ ...old, filter: undefined }) })}
          longer={range.from === "-30d" ? null : () => void navigate({ search: (old) => ({ ...old, from: "-30d", to: undefined }) as never })}
        />
      )}
      {list.isSuccess && models.length > 0 && (
        <ModelsTable
          models={models}
          sort={sort}
          stale={list.isPlaceholderData}
          onSort={(next) => void navigate({ search: (old) => ({ ...old, sort: printSort(next) }), replace: true })}
        />
      )}
      {list.hasNextPage && (
        <p className={style.more}>
          There are more models than these {models.length}.
          <button type="button" className={control.button} disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()} data-testid="models-more">
            {list.isFetchingNextPage ? "Loading more …" : "Show more"}
          </button>
        </p>
      )}
    </>
  );
}

function SaveCsv({ models, more, tenant }: { readonly models: readonly ModelRow[]; readonly more: boolean; readonly tenant: string }) {
  const toast = useToast();
  const save = () => {
    const name = `lamella-models-${tenant}-${new Date().toISOString().slice(0, 16).replace(":", "")}Z.csv`;
    saveFile(name, modelsCsv(models), "text/csv;charset=utf-8");
    toast({ text: `Saved ${name} with the ${models.length === 1 ? "model" : `${models.length} models`} shown${more ? "; there are more" : ""}` });
  };
  return (
    <button type="button" className={control.button} onClick={save} title="Save the rows shown, unrounded, as CSV" data-testid="models-csv">
      <Download size={13} aria-hidden="true" />
      CSV
    </button>
  );
}

type NoModelsProps = { readonly tenant: string; readonly nothingYet: boolean; readonly clearFilter: (() => void) | null; readonly longer: (() => void) | null };

function NoModels({ tenant, nothingYet, clearFilter, longer }: NoModelsProps) {
  return (
    <Empty title="No models seen in this time range" testId="no-models">
      {nothingYet && <p>Nothing was ingested yet, so this may only be a matter of time.</p>}
      <p>Either</p>
      <ul>
        <li>
          no profiled process loaded a PyTorch model in the range: choose a longer range{clearFilter !== null && <> or a wider filter</>} above
          {longer !== null && (
            <button type="button" className={control.button} onClick={longer}>
              Last 30 days
            </button>
          )}
          {clearFilter !== null && (
            <button type="button" className={control.button} onClick={clearFilter}>
              Clear the filter
            </button>
          )}
          ; or
        </li>
        <li>
          extraction is not enabled for that process: set <code>LAMELLA_CUDAPROFILER__MODEL_SHAPE__ENABLED=true</code> in its environment (
          <code>LAMELLA_ROCMPROFILER__…</code> on AMD) and restart it.{" "}
          <Link to="/t/$tenant/setup" params={{ tenant }} search={keepRange as never}>
            Set up
          </Link>{" "}
          writes the lines for your engine.
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
