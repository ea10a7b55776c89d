// What is compared with what, on which basis, and what is drawn of it.
import { ArrowLeftRight, X } from "lucide-react";
import { basisWords, sideLine } from "#core/flamegraph/compare/change-text.ts";
import { printable } from "#core/printable.ts";
import type { ComparisonBasis, FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import type { ChangeSearch, FlamegraphSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { Select } from "../../parts/select.tsx";
import { changeColours } from "./change-colours.ts";
import { CompareButton } from "./compare-button.tsx";
import { notComparing } from "./is-comparing.ts";
import { swapped } from "./swapped.ts";
import view from "./view-bar.module.css";
import style from "./comparison-bar.module.css";

type BarProps = { readonly search: FlamegraphSearch; readonly comparison: FlamegraphComparison | undefined; readonly change: ChangeSearch };

const drawnSides = [
  [undefined, "All", "Both sides together"],
  ["gone", "Only gone", "Stacks that end where B has nothing"],
  ["new", "Only new", "Stacks that end where A has nothing"],
] as const;

export function ComparisonBar({ search, comparison, change }: BarProps) {
  const range = useTimeRange();
  const table = search.view === "table";
  return (
    <section className={style.bar} aria-label="Comparison" data-testid="comparison-bar">
      {comparison !== undefined && (
        <div className={style.sides} data-testid="comparison-sides">
          {(["a", "b"] as const).map((side) => (
            <p key={side}>
              <b>{side.toUpperCase()}</b>
              {printable(sideLine(side.toUpperCase(), comparison[side], comparison).slice(3))}
            </p>
          ))}
          {comparison.frames.mapping.includes("simulated") && <p className={style.note}>Simulated: these samples were made by a program, not measured.</p>}
          {comparison.notes.map((note) => (
            <p key={note} className={style.note}>
              {printable(note)}
            </p>
          ))}
          {(comparison.a.intervals < 2 || comparison.b.intervals < 2) && <p className={style.note}>A side has fewer than two intervals: there is no spread to tell a difference from noise.</p>}
        </div>
      )}
      <div className={style.controls}>
        <div className={view.group} role="group" aria-label="View">
          <button type="button" className={control.button} aria-pressed={!table} data-testid="compare-graph" onClick={() => change({ view: undefined })}>
            Graph
          </button>
          <button type="button" className={control.button} aria-pressed={table} title="What changed, by category, module and kernel (t)" data-testid="compare-table" onClick={() => change({ view: "table" })}>
            Table
          </button>
        </div>
        <Select label="Values are" value={search.basis ?? "share"} change={(basis) => change({ basis: basis === "share" ? undefined : (basis as ComparisonBasis) })} testId="compare-basis">
          {Object.entries(basisWords).map(([basis, words]) => (
            <option key={basis} value={basis}>
              {words[0]?.toUpperCase()}
              {words.slice(1)}
            </option>
          ))}
        </Select>
        {!table && (
          <div className={view.group} role="group" aria-label="What is drawn">
            {drawnSides.map(([side, text, title]) => (
              <button key={text} type="button" className={control.button} aria-pressed={search.changes === side} title={title} data-testid={`changes-${side ?? "all"}`} onClick={() => change({ changes: side, focus: undefined })}>
                {text}
              </button>
            ))}
          </div>
        )}
        <CompareButton search={search} execution={comparison?.b.execution?.id ?? null} change={change} label="Change A" />
        <button type="button" className={control.button} title="A becomes B, and B becomes A" data-testid="compare-swap" disabled={comparison === undefined} onClick={() => comparison !== undefined && change(swapped(search, range, comparison))}>
          <ArrowLeftRight size={13} aria-hidden="true" />
          Swap
        </button>
        <button type="button" className={control.button} data-testid="compare-stop" onClick={() => change(notComparing)}>
          <X size={13} aria-hidden="true" />
          Stop comparing
        </button>
        {!table && (
          <p className={style.scale}>
            less than A
            <span aria-hidden="true">
              {changeColours.map((colour) => (
                <i key={colour} style={{ background: colour }} />
              ))}
            </span>
            more
          </p>
        )}
      </div>
    </section>
  );
}
