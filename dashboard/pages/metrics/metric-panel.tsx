// One panel: its lines, what they are at the crosshair, and why there are none.
import { useCallback, useLayoutEffect, useRef, type ReactNode } from "react";
import { printable } from "#core/printable.ts";
import { exactMetric, metricText } from "./metric-text.ts";
import { MomentChart } from "./moment-chart.tsx";
import type { PanelData, PanelLine } from "./panel-lines.ts";
import type { PanelSpec } from "./panels.ts";
import { dashes, lineInks } from "./time-chart.ts";
import style from "./metrics-page.module.css";

export type StepRange = { readonly fromS: number; readonly toS: number; readonly stepS: number };
export type PanelProps = {
  readonly spec: PanelSpec;
  readonly data: PanelData;
  readonly range: StepRange;
  readonly at: number | null; // Unix seconds of the selected step
  readonly why: ReactNode; // there is nothing
  readonly select: (atS: number) => void;
  readonly open: (atS: number) => void;
  readonly zoom: (fromS: number, toS: number) => void;
};

export function MetricPanel({ spec, data, range, at, why, select, open, zoom }: PanelProps) {
  const { title, unit } = spec;
  const { grid, lines, notes } = data;
  const values = useRef<(HTMLElement | null)[]>([]);
  const last = lines.reduce((latest, line) => Math.max(latest, line.values.findLastIndex((value) => value !== null)), -1);
  const chosen = at === null ? -1 : grid.findIndex((t) => t <= at && at < t + range.stepS);
  const shown = chosen >= 0 ? chosen : last;
  // The crosshair moves with every event of the pointer: these texts are changed past React.
  const tell = useCallback(
    (index: number | null) => {
      lines.forEach((line, place) => {
        const element = values.current[place];
        const text = lineText(line, index ?? shown, unit);
        if (!element || element.textContent === text) return;
        element.textContent = text;
        element.title = exactMetric(line.values[index ?? shown], unit, line.estimate);
      });
    },
    [lines, shown, unit],
  );
  useLayoutEffect(() => tell(null), [tell]);
  const words = useCallback((index: number) => lines.map((line) => `${line.label} ${lineText(line, index, unit)}`).join(", "), [lines, unit]);
  return (
    <figure className={style.panel} data-testid={`panel-${spec.name}`}>
      <figcaption>
        <h2>{title}</h2>
        <ul className={style.legend}>
          {lines.map((line, place) => (
            <li key={line.label}>
              <svg viewBox="0 0 18 8" aria-hidden="true">
                <line x1="0" y1="4" x2="18" y2="4" stroke={`var(--canvas-${lineInks[line.trace % lineInks.length]})`} strokeWidth="2.5" strokeDasharray={dashes[line.engine % dashes.length]!.join(" ")} />
              </svg>
              {printable(line.label)}{" "}
              <b
                ref={(element) => {
                  values.current[place] = element;
                }}
                data-testid={`value-${spec.name}-${place}`}
              />
            </li>
          ))}
        </ul>
      </figcaption>
      {lines.length === 0 ? (
        <p className={style.missing} data-testid={`missing-${spec.name}`}>
          {notes.length > 0 ? `${notes.join(". ")}.` : why}
        </p>
      ) : (
        <>
          <MomentChart spec={spec} data={data} range={range} at={at} shown={shown} words={words} tell={tell} select={select} open={open} zoom={zoom} />
          {notes.map((note) => (
            <p key={note} className={style.note}>
              {note}.
            </p>
          ))}
        </>
      )}
    </figure>
  );
}

function lineText({ values, above, estimate }: PanelLine, index: number, unit: PanelSpec["unit"]): string {
  return index < 0 ? "—" : metricText(values[index], unit, estimate === "buckets", above[index]);
}
