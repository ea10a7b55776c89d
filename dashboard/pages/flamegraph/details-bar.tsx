// The selected frame, below the drawing: the same facts as the tooltip, reachable by keyboard, with what can be done with it.
import { Copy } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { printable } from "#core/printable.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import control from "../../parts/control.module.css";
import { frameFacts, shownWords } from "./frame-facts.ts";
import { frameColours, type DrawnKind } from "./frame-colours.ts";
import style from "./details-bar.module.css";

export function DetailsBar({
  graph,
  node,
  copy,
  around,
}: {
  readonly graph: Flamegraph;
  readonly node: number | null;
  readonly copy: () => void;
  readonly around: (node: number, side: "callers" | "callees") => void;
}) {
  if (node === null)
    return (
      <footer className={style.bar}>
        <span className={style.hint}>
          Click a frame, or press Tab and use the arrow keys. <kbd>?</kbd> lists all keys.
        </span>
      </footer>
    );
  const facts = frameFacts(graph, node);
  return (
    <footer className={style.bar} data-testid="flamegraph-details">
      <span className={style.swatch} style={{ background: frameColours[facts.kind as DrawnKind] }} />
      <span className={style.name} title={facts.name}>
        {facts.shortName}
      </span>
      <button
        type="button"
        className={`${control.button} ${control.quiet} ${control.icon}`}
        aria-label="Copy the name"
        title="Copy the name (c)"
        onClick={copy}
      >
        <Copy size={13} />
      </button>
      <span className={style.fact}>{facts.kindLabel}</span>
      <span className={style.fact} title={facts.total.exact}>
        <b>{facts.total.text}</b> total
      </span>
      <span className={style.fact} title={facts.self.exact}>
        <b>{facts.self.text}</b> self
      </span>
      <span className={style.fact}>
        <b>{facts.ofRoot}</b> of {shownWords(graph)}
      </span>
      {facts.kind !== "root" && facts.kind !== "other" && (
        <span className={style.actions}>
          <button type="button" className={`${control.button} ${control.quiet}`} title="Only stacks with this frame: what calls it (s)" onClick={() => around(node, "callers")}>
            Callers
          </button>
          <button type="button" className={`${control.button} ${control.quiet}`} title="Only stacks with this frame: what it calls" onClick={() => around(node, "callees")}>
            Callees
          </button>
        </span>
      )}
      {facts.modulePath !== "" && <ModuleLink graph={graph} path={facts.modulePath} modelKey={facts.modelKey} />}
    </footer>
  );
}

function ModuleLink({ graph, path, modelKey }: { readonly graph: Flamegraph; readonly path: string; readonly modelKey: string }) {
  const { tenant, me } = useSession();
  const inferred = graph.execution?.pathSource === "inferred";
  const reason = inferred
    ? "The path is inferred from the trace and names no module of a stored model."
    : /(^|\.)\*(\.|$)/.test(path)
      ? "These are several modules, folded. Show layers unfolded to open one."
      : me.flags.models !== true
        ? "Models are switched off for this tenant (Settings, Feature flags)."
        : "";
  const shown = <code className={style.path}>{printable(path)}</code>;
  if (reason !== "" || !/^[0-9a-f]{32}$/.test(modelKey))
    return (
      <span className={style.fact} title={reason}>
        {shown}
      </span>
    );
  return (
    <Link
      to="/t/$tenant/models/$model"
      params={{ tenant, model: modelKey }}
      search={((old: Record<string, unknown>) => ({ ...keepRange(old), path })) as never}
      className={style.fact}
      title="Open the module in its model"
    >
      {shown}
    </Link>
  );
}
