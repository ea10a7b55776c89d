// What every place inside a layer took in each layer, as a map: modules down, layers across. The lighter-to-darker scale runs over each row or over all of it.
// One focusable grid: arrows move from cell to cell, what a cell says is spoken and shown below.
import { useEffect, useId, type KeyboardEvent } from "react";
import { printable } from "#core/printable.ts";
import type { LayerGrid } from "#core/trace/layer-grid.ts";
import { layerSpread, type LayerSpread } from "#core/trace/layer-spread.ts";
import { formatValue, type Unit } from "../../parts/number-format.ts";
import style from "./layer-heatmap.module.css";

export const cellWidth = 24; // CSS px: a target of 24 × 24
export const heatLabelWidth = 250;

export type LayerHeatmapProps = {
  readonly grid: LayerGrid;
  readonly columns: readonly number[]; // of the grid, in the order shown
  readonly unit: Unit;
  readonly global: boolean; // one scale over all of it, else one a row
  readonly column: number; // the active cell
  readonly layer: number | undefined;
  readonly move: (column: number, layer: number | undefined) => void;
};

export function LayerHeatmap({ grid, columns, unit, global, column, layer, move }: LayerHeatmapProps) {
  const id = useId();
  const spreads = new Map(columns.map((at) => [at, layerSpread(grid.columns[at]!.values)]));
  const inside = columns.filter((at) => at > 0);
  const most = Math.max(1, ...inside.map((at) => spreads.get(at)!.max));
  const [row, shownLayer] = [columns.indexOf(column), layer ?? 0];
  const active = `${id}-${column}-${shownLayer}`;
  useEffect(() => {
    document.getElementById(active)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = grid.layers.length - 1;
    const to = ({ ArrowRight: [row, Math.min(last, shownLayer + (layer === undefined ? 0 : 1))], ArrowLeft: [row, Math.max(0, shownLayer - 1)], ArrowDown: [Math.min(columns.length - 1, row + 1), shownLayer], ArrowUp: [Math.max(0, row - 1), shownLayer], Home: [row, 0], End: [row, last] } as const)[event.key];
    if (event.key === "Escape" && layer !== undefined) move(column, undefined);
    else if (to !== undefined) move(columns[to[0]!]!, to[1]);
    else return;
    event.preventDefault();
  };
  const heat = (at: number, value: number): number => {
    const { min, max } = spreads.get(at)!;
    if (max === 0) return 0;
    // A row whose layers are all alike is one shade: differences under a hundredth are no picture.
    if (!global) return max - min <= max / 100 ? 0.35 : (value - min) / (max - min);
    return at === 0 ? 0.35 : value / most;
  };
  return (
    <div className={style.scroll}>
      <div
        className={style.map}
        role="grid"
        aria-label="Time by module and layer"
        aria-rowcount={columns.length}
        aria-colcount={grid.layers.length + 1}
        tabIndex={0}
        aria-activedescendant={active}
        onKeyDown={keyDown}
        data-testid="layer-heatmap"
        data-scale={global ? "all" : "row"}
      >
        {columns.map((at) => {
          const { label, depth, values, copies } = grid.columns[at]!;
          return (
            <div key={at} role="row" className={style.row} style={{ gridTemplateColumns: `${heatLabelWidth}px repeat(${grid.layers.length}, ${cellWidth}px)` }} data-selected={at === column}>
              <span role="rowheader" className={style.label} style={{ paddingLeft: 6 + depth * 10 }} title={printable(label)} onClick={() => move(at, layer)}>
                {printable(label)}
                {copies > 1 && <small> ×{copies}</small>}
              </span>
              {values.map((value, one) => (
                <span
                  key={one}
                  id={`${id}-${at}-${one}`}
                  role="gridcell"
                  aria-selected={at === column && one === layer}
                  aria-label={cellText(grid, spreads.get(at)!, at, one, unit)}
                  title={cellText(grid, spreads.get(at)!, at, one, unit)}
                  className={style.cell}
                  data-active={at === column && one === shownLayer}
                  data-unlike={spreads.get(at)!.unlike.includes(one)}
                  style={{ background: `color-mix(in oklab, var(--heat-high) ${Math.round(100 * heat(at, value))}%, var(--heat-low))` }}
                  onClick={() => move(at, one)}
                />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

// "layers.17 · Qwen3Attention self_attn: 1.31 ms, +0.4 σ, 1.02 × the median"
export function cellText({ layers, columns }: LayerGrid, { sigma, median, unlike }: LayerSpread, column: number, layer: number, unit: Unit): string {
  const { label, values } = columns[column]!;
  const value = values[layer]!;
  const distance = sigma[layer]!;
  return printable(
    `${layers[layer]!} · ${label}: ${formatValue(value, unit).text}, ${distance < 0 ? "−" : "+"}${Math.abs(distance).toFixed(1)} σ${median === 0 ? "" : `, ${(value / median).toFixed(2)} × the median`}${unlike.includes(layer) ? ", unlike the others" : ""}`,
  );
}
