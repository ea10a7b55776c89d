// The selected frame: the same facts as the tooltip, reachable by keyboard, with what can be done with it.
import { Copy } from "lucide-react";
import control from "../../parts/control.module.css";
import type { DrawnGraph } from "./drawn-graph.ts";
import { frameFacts, shownWords } from "./frame-facts.ts";
import { frameColours, type DrawnKind } from "./frame-colours.ts";
import { ModuleLink } from "./module-link.tsx";
import style from "./details-bar.module.css";

export type SelectedBarProps = {
  readonly graph: DrawnGraph;
  readonly node: number;
  readonly copy: () => void;
  readonly around?: (node: number, side: "callers" | "callees") => void; // absent: stacks cannot be cut out here
};

export function SelectedBar({ graph, node, copy, around }: SelectedBarProps) {
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
      {graph.figuresOf === null ? (
        <>
          <span className={style.fact} title={facts.total.exact}>
            <b>{facts.total.text}</b> total
          </span>
          <span className={style.fact} title={facts.self.exact}>
            <b>{facts.self.text}</b> self
          </span>
          <span className={style.fact}>
            <b>{facts.ofRoot}</b> of {shownWords(graph)}
          </span>
        </>
      ) : (
        graph.figuresOf(node).map(({ label, text, exact }) => (
          <span key={label} className={style.fact} title={exact}>
            {label} <b>{text}</b>
          </span>
        ))
      )}
      {around !== undefined && facts.kind !== "root" && facts.kind !== "other" && (
        <span className={style.actions}>
          <button type="button" className={`${control.button} ${control.quiet}`} title="Only stacks with this frame: what calls it (s)" onClick={() => around(node, "callers")}>
            Callers
          </button>
          <button type="button" className={`${control.button} ${control.quiet}`} title="Only stacks with this frame: what it calls" onClick={() => around(node, "callees")}>
            Callees
          </button>
        </span>
      )}
      {facts.inModule && <ModuleLink graph={graph} facts={facts} />}
    </footer>
  );
}
