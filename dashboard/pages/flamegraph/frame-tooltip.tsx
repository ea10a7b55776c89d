// What the pointer is on: exact values, beside the pointer and inside the window.
import { useLayoutEffect, useRef } from "react";
import { printable } from "#core/printable.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import type { DrawnGraph, Figure } from "./drawn-graph.ts";
import { everywhere, frameFacts, shownWords } from "./frame-facts.ts";
import { formatExact } from "../../parts/number-format.ts";
import { frameColours, type DrawnKind } from "./frame-colours.ts";
import { timesText } from "./label.ts";
import style from "./frame-tooltip.module.css";

const gap = 14; // CSS px from the pointer

export function FrameTooltip({ graph, node, x, y }: { readonly graph: DrawnGraph; readonly node: number; readonly x: number; readonly y: number }) {
  const element = useRef<HTMLDivElement>(null);
  const facts = frameFacts(graph, node);
  const all = graph.figuresOf === null ? everywhere(graph, node) : null;
  useLayoutEffect(() => {
    const tip = element.current;
    if (tip === null) return;
    const { width, height } = tip.getBoundingClientRect();
    const left = x + gap + width > innerWidth ? Math.max(8, x - gap - width) : x + gap;
    const top = y + gap + height > innerHeight ? Math.max(8, y - gap - height) : y + gap;
    tip.style.translate = `${left}px ${top}px`;
  });
  const values: readonly Figure[] = graph.figuresOf?.(node) ?? [
    { label: "Total", ...facts.total },
    { label: "Self", ...facts.self },
    { label: `Of ${shownWords(graph)}`, text: facts.ofRoot },
    { label: "Of the frame above", text: facts.ofParent },
    { label: graph.profileType === "cpu_op" ? "Calls" : "Launches", text: facts.count },
    ...(all === null ? [] : [{ label: `All ${formatExact(all.nodes)} of the name`, text: all.total.text, exact: `${all.ofRoot} · ${all.total.exact}` }]),
  ];
  return (
    <div ref={element} className={style.tip} role="presentation" data-testid="flamegraph-tooltip">
      <p className={style.name}>
        {graph.figuresOf === null && graph.prefixOf(node)}
        {facts.name}
        {timesText(graph.nodes.copies[node])}
      </p>
      <p className={style.kind}>
        <span style={{ background: frameColours[facts.kind as DrawnKind] }} />
        {facts.kindLabel}
        {facts.kind === "root" && ` · ${profileTypes[graph.profileType].label}`}
      </p>
      <dl className={style.values}>
        {values.map(({ label, text, exact }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{text}</dd>
            {exact !== undefined && exact !== text && <dd className={style.exact}>{exact}</dd>}
          </div>
        ))}
      </dl>
      {facts.modulePath !== "" && (
        <p className={style.path}>
          <span>Module</span> <code>{printable(facts.modulePath)}</code>
        </p>
      )}
      {facts.place !== "" && (
        <p className={style.path}>
          <span>Where</span> <code>{facts.place}</code>
        </p>
      )}
    </div>
  );
}
