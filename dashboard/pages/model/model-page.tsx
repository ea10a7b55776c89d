// One model: its totals, and its module tree as PyTorch registered it.
import { useQuery } from "@tanstack/react-query";
import { Flame, RotateCw } from "lucide-react";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { searchFor } from "#core/flamegraph/search.ts";
import { layerFrameName } from "#core/shape/frame-name.ts";
import { printable } from "#core/printable.ts";
import type { ModelRow } from "#schema/api/models.ts";
import { keepRange } from "../../app/keep-range.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import { toApiError } from "../../parts/api-error.ts";
import control from "../../parts/control.module.css";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { ModelTotals } from "./model-totals.tsx";
import { modelQuery, shapeQuery } from "./model-query.ts";
import { ModelStructure } from "./model-structure.tsx";
import style from "./model-page.module.css";

const CompareView = lazy(async () => ({ default: (await import("./compare-view.tsx")).CompareView }));
const MemoryView = lazy(async () => ({ default: (await import("./memory-view.tsx")).MemoryView }));

export function ModelPage() {
  const { tenant } = useSession();
  const range = useTimeRange();
  const { model: id } = useParams({ from: "/t/$tenant/models/$model" });
  const { view } = useSearch({ from: "/t/$tenant/models/$model" });
  const detail = useQuery(modelQuery(tenant, range, id));
  const model = detail.data?.model;
  const shape = useQuery(shapeQuery(tenant, model?.shapeId ?? null));
  const back = (
    <Link to="/t/$tenant/models" params={{ tenant }} search={keepRange as never} className={style.back}>
      Models
    </Link>
  );
  const missing = detail.isError ? toApiError(detail.error) : null;
  const notStored = model !== undefined && (model.shapeId === null || (shape.isError && toApiError(shape.error).code === "shape_not_stored"));
  const retry = () => {
    void detail.refetch();
    if (model?.shapeId) void shape.refetch();
  };
  return (
    <div className={style.page}>
      <PageHeader
        title={model === undefined ? "Model" : printable(model.name)}
        before={
          <>
            {back}
            <span className={style.slash} aria-hidden="true">
              /
            </span>
          </>
        }
        ranged
        ingestedThrough={detail.data?.ingestedThrough}
        refresh={retry}
        refreshing={detail.isFetching || shape.isFetching}
      />
      {detail.isPending && <Loading what="the model" />}
      {missing !== null && (missing.code === "model_not_found" ? <NotInRange /> : <Failure error={missing} retry={retry} />)}
      {model !== undefined && (
        <>
          <ModelTotals model={model}>
            <AnalyzeRoot model={model} id={id} />
          </ModelTotals>
          {notStored ? (
            <NotStored model={model} retry={retry} />
          ) : (
            <>
              {shape.isPending && <Loading what="the module tree" rows={12} />}
              {shape.isError && <Failure error={shape.error} retry={() => void shape.refetch()} />}
              {shape.isSuccess && detail.data !== undefined && view !== "memory" && view !== "compare" && (
                <ModelStructure shape={shape.data.shape} model={model} modelId={id} layouts={detail.data.layouts} />
              )}
              <Suspense fallback={<Loading what="the view" />}>
                {shape.isSuccess && view === "memory" && <MemoryView shape={shape.data.shape} layouts={detail.data?.layouts ?? []} />}
                {shape.isSuccess && view === "compare" && <CompareView model={model} shapeId={shape.data.shapeId} layouts={detail.data?.layouts ?? []} />}
              </Suspense>
            </>
          )}
        </>
      )}
    </div>
  );
}

function AnalyzeRoot({ model, id }: { readonly model: ModelRow; readonly id: string }) {
  const { tenant } = useSession();
  const search = searchFor(layerFrameName({ className: "", path: "", modelName: model.name }));
  return (
    <Link
      to="/t/$tenant/flamegraph"
      params={{ tenant }}
      search={((old: Record<string, unknown>) => ({ ...keepRange(old), filter: old.filter, search, model: id })) as never}
      className={`${control.button} ${control.primary}`}
      data-testid="analyze-model"
    >
      <Flame size={14} />
      Analyze with CUDA flamegraph
    </Link>
  );
}

function NotStored({ model, retry }: { readonly model: ModelRow; readonly retry: () => void }) {
  return (
    <Empty title="Shape not stored yet" testId="shape-not-stored">
      {model.missingStages.length > 0 ? (
        <p>
          The model is split over pipeline stages, and {model.missingStages.length === 1 ? "stage" : "stages"} <b>{model.missingStages.join(", ")}</b>{" "}
          {model.missingStages.length === 1 ? "has" : "have"} not arrived. The tree is shown once all of them are stored.
        </p>
      ) : (
        <p>The model was reported, but its module tree has not been ingested. That usually takes a few seconds.</p>
      )}
      <button type="button" className={control.button} onClick={retry}>
        <RotateCw size={14} />
        Retry
      </button>
    </Empty>
  );
}

function NotInRange() {
  const { tenant } = useSession();
  return (
    <Empty title="No such model" testId="model-not-found">
      <p>
        No model with this id was seen. Choose a longer time range above, or pick one from the{" "}
        <Link to="/t/$tenant/models" params={{ tenant }} search={keepRange as never}>
          list of models
        </Link>
        .
      </p>
    </Empty>
  );
}
