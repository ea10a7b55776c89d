// The copies a folded module stands for, one line each with its time: choose one to see it by itself. Virtual, so that 12,032 experts are as quick as 4 layers.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { copiesAt, copyAt } from "#core/shape/copies.ts";
import { printable } from "#core/printable.ts";
import control from "../../parts/control.module.css";
import { Dialog } from "../../parts/dialog.tsx";
import { formatExact, formatValue } from "../../parts/number-format.ts";
import type { GraphTimes } from "./graph/module-graph.tsx";
import type { ModuleNode, ShapeFacts } from "./module-nodes.ts";
import { unfoldedBoxesMax } from "./tree-state.ts";
import style from "./copies-dialog.module.css";

export type CopiesDialogProps = {
  readonly node: ModuleNode;
  readonly facts: ShapeFacts;
  readonly times: GraphTimes | null;
  readonly choose: (path: string, folded: readonly string[]) => void;
  readonly all: () => void; // a box for each of the siblings
  readonly close: () => void;
};

const lineHeight = 30;

export function CopiesDialog({ node, facts, times, choose, all, close }: CopiesDialogProps) {
  const copies = copiesAt(facts.body, node.path);
  const scroll = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const count = "nearest" in copies ? 0 : copies.count;
  // What it returns is used here and nowhere memoised.
  // oxlint-disable-next-line react/incompatible-library
  const lines = useVirtualizer({ count, getScrollElement: () => scroll.current, estimateSize: () => lineHeight, overscan: 12, rangeExtractor: ({ startIndex, endIndex, overscan }) => rangeWith(at, Math.max(0, startIndex - overscan), Math.min(count - 1, endIndex + overscan)) });
  useEffect(() => scroll.current?.focus(), []);
  if ("nearest" in copies) return null;
  const time = times?.byPath.get(node.path);
  const values = new Map(time?.copies.map(({ path, value }) => [path, value]));
  const odd = new Map(time?.unlike.map(({ path, times: ratio }) => [path, ratio]));
  const take = (i: number) => {
    const { path, folded } = copyAt(copies, i);
    choose(path, folded);
  };
  const keyDown = (event: KeyboardEvent) => {
    const page = 10;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: count - 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") take(at);
    else if (to === undefined) return;
    else {
      const next = Math.min(count - 1, Math.max(0, to));
      setAt(next);
      lines.scrollToIndex(next);
    }
    event.preventDefault();
  };
  return (
    <Dialog title={`${printable(node.className)} ×${formatExact(count)}`} close={close} testId="copies-dialog">
      <p className={style.about}>Choose a copy to see it by itself in the graph; the others stay folded.</p>
      <div ref={scroll} className={style.list} role="listbox" aria-label="Copies" tabIndex={0} aria-activedescendant={`copy-${at}`} onKeyDown={keyDown} data-testid="copies">
        <div className={style.inner} role="presentation" style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map((line) => {
            const { path } = copyAt(copies, line.index);
            const value = values.get(path);
            const ratio = odd.get(path);
            return (
              <div
                key={line.index}
                id={`copy-${line.index}`}
                role="option"
                aria-selected={line.index === at}
                aria-setsize={count}
                aria-posinset={line.index + 1}
                className={style.line}
                style={{ transform: `translateY(${line.start}px)` }}
                onClick={() => take(line.index)}
                data-testid="copy"
                data-path={path}
              >
                <code>{printable(path)}</code>
                <i style={{ width: value === undefined || time === undefined ? 0 : `${(value / (time.most.value || 1)) * 90}px` }} data-odd={ratio !== undefined} />
                <span>{value === undefined || times === null ? "—" : formatValue(value, times.unit).text}</span>
                <span className={style.ratio}>{ratio === undefined ? "" : `${ratio.toFixed(1)}×`}</span>
              </div>
            );
          })}
        </div>
      </div>
      {node.repeat > 1 && node.repeat <= unfoldedBoxesMax && (
        <button type="button" className={control.button} onClick={all} data-testid="unfold-all">
          Show all {node.repeat} by themselves
        </button>
      )}
      {node.repeat > unfoldedBoxesMax && <p className={style.about}>More than {unfoldedBoxesMax} are never boxes at once.</p>}
    </Dialog>
  );
}

function rangeWith(active: number, from: number, to: number): number[] {
  const shown = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return active >= from && active <= to ? shown : [...shown, active].sort((a, b) => a - b);
}
