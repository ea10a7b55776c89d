// The module a frame runs in, as a link to its model where there is one, else with the reason why there is none.
import { Link } from "@tanstack/react-router";
import { printable } from "#core/printable.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import type { DrawnGraph } from "./drawn-graph.ts";
import type { FrameFacts } from "./frame-facts.ts";
import style from "./details-bar.module.css";

// "" where the module can be opened.
export function noModuleReason(graph: Pick<DrawnGraph, "execution" | "rootFirst">, { inModule, modulePath, modelKey }: Pick<FrameFacts, "inModule" | "modulePath" | "modelKey">, modelsOn: boolean): string {
  if (!inModule) return graph.rootFirst ? "The frame runs inside no module of a model." : "Seen from the leaf, a frame has no one module above it. Show the root first.";
  if (graph.execution?.pathSource === "inferred") return "The path is inferred from the trace and names no module of a stored model.";
  if (/(^|\.)\*(\.|$)/.test(modulePath)) return "These are several modules, folded. Show layers unfolded to open one.";
  if (!modelsOn) return "Models are switched off for this tenant (Settings, Feature flags).";
  return /^[0-9a-f]{32}$/.test(modelKey) ? "" : "The sender named no model, so there is none to open.";
}

export function ModuleLink({ graph, facts }: { readonly graph: DrawnGraph; readonly facts: FrameFacts }) {
  const { tenant, me } = useSession();
  const reason = noModuleReason(graph, facts, me.flags.models === true);
  const shown = <code className={style.path}>{facts.modulePath === "" ? "the model" : printable(facts.modulePath)}</code>;
  if (reason !== "")
    return (
      <span className={style.fact} title={reason}>
        {shown}
      </span>
    );
  return (
    <Link
      to="/t/$tenant/models/$model"
      params={{ tenant, model: facts.modelKey }}
      search={((old: Record<string, unknown>) => ({ ...keepRange(old), path: facts.modulePath === "" ? "." : facts.modulePath })) as never}
      className={style.fact}
      title="Open the module in its model"
    >
      {shown}
    </Link>
  );
}
