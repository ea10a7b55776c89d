// The module graph inside another page: one model, opened on one module, which is marked "parent". What is opened, selected and moved here stays here; the link to
// the model's own page is the caller's. `model`: a model key or shape id, as in the URL of the model page.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ShapeBody } from "#schema/api/models.ts";
import { useSession } from "../../../app/session.tsx";
import { useTimeRange } from "../../../app/time-range-picker.tsx";
import { toApiError } from "../../../parts/api-error.ts";
import { Loading } from "../../../parts/states.tsx";
import { modelQuery, shapeQuery } from "../model-query.ts";
import { moduleNodes, reveal, shapeFacts } from "../module-nodes.ts";
import { toggle, treeAtFirst, unfold, type TreeState } from "../tree-state.ts";
import { ModuleGraph } from "./module-graph.tsx";
import { RoleCounts } from "./role-counts.ts";
import style from "./embedded-graph.module.css";

export type EmbeddedGraphProps = { readonly model: string; readonly path: string; readonly select: (path: string) => void };

export function EmbeddedGraph({ model: id, path, select }: EmbeddedGraphProps) {
  const { tenant } = useSession();
  const detail = useQuery(modelQuery(tenant, useTimeRange(), id));
  const model = detail.data?.model;
  const shape = useQuery(shapeQuery(tenant, model?.shapeId ?? null));
  const failed = detail.error ?? shape.error;
  if (failed !== null) return <p className={style.note}>{toApiError(failed).title}. {toApiError(failed).detail}</p>;
  if (model !== undefined && model.shapeId === null) return <p className={style.note}>Shape not stored yet: the model was reported, but its module tree has not been ingested.</p>;
  if (model === undefined || shape.data === undefined) return <Loading what="the module graph" rows={4} />;
  return <Graph key={`${model.shapeId} ${path}`} shape={shape.data.shape} modelName={model.name} path={path} select={select} />;
}

function Graph({ shape, modelName, path, select }: { readonly shape: ShapeBody; readonly modelName: string; readonly path: string; readonly select: (path: string) => void }) {
  const facts = useMemo(() => shapeFacts(shape), [shape]);
  const counts = useMemo(() => new RoleCounts(shape), [shape]);
  // The copy itself, not the fold it is in: layers.17 is what launched the kernel.
  const first = useMemo(() => reveal(facts, indexedSteps(path).reduce<TreeState>(unfold, treeAtFirst), path), [facts, path]);
  const [state, setState] = useState(first?.state ?? treeAtFirst);
  const nodes = useMemo(() => moduleNodes(facts, modelName, state), [facts, modelName, state]);
  if (first === undefined) return <p className={style.note}>The stored shape of the model has no module {path}.</p>;
  return (
    <div className={style.frame} data-testid="embedded-graph">
      <ModuleGraph
        nodes={nodes}
        label={`Module graph around ${path}`}
        selected={first.path}
        mark="parent"
        times={null}
        counts={counts}
        select={(next) => next !== undefined && select(next)}
        toggle={(paths) => setState(toggle(state, paths))}
        reset={() => setState(first.state)}
      />
    </div>
  );
}

// Every prefix that ends in an index: each stands by itself.
function indexedSteps(path: string): string[] {
  const steps = path.split(".");
  return steps.flatMap((step, at) => (/^\d+$/.test(step) ? [steps.slice(0, at + 1).join(".")] : []));
}
