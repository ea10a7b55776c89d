// The layers of the model one below the other with what each took; choosing one drills down to it.
import { printable } from "#core/printable.ts";
import type { LayerGrid, LayerRun } from "#core/trace/layer-grid.ts";
import { layerSpread } from "#core/trace/layer-spread.ts";
import { formatValue, type Unit } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import style from "./layer-sidebar.module.css";
import panel from "./module-panel.module.css";

export function LayerSidebar({ run, grid, unit, open }: { readonly run: LayerRun; readonly grid: LayerGrid; readonly unit: Unit; readonly open: (layer: number) => void }) {
  const { values } = grid.columns[0]!;
  const spread = layerSpread(values);
  const most = Math.max(1, spread.max);
  return (
    <aside className={panel.panel} aria-label="Layers" data-testid="layer-sidebar">
      <header>
        <div>
          <h2>{printable(run.label)}</h2>
          <p className={panel.note}>
            {run.rows.length} layers · median {formatValue(spread.median, unit).text} · {formatValue(spread.min, unit).text} to {formatValue(spread.max, unit).text}
          </p>
        </div>
      </header>
      <ol className={style.layers}>
        {values.map((value, layer) => (
          <li key={layer}>
            <button type="button" onClick={() => open(layer)} data-testid="sidebar-layer" data-unlike={spread.unlike.includes(layer)} title={spread.unlike.includes(layer) ? `${spread.sigma[layer]!.toFixed(1)} σ: unlike the others` : undefined}>
              <code>{printable(grid.layers[layer]!)}</code>
              <span className={style.track} aria-hidden="true">
                <span style={{ width: `${(100 * value) / most}%` }} />
              </span>
              <span className={style.value}>
                <Quantity value={formatValue(value, unit)} />
                {spread.unlike.includes(layer) && <b>{spread.sigma[layer]! < 0 ? "−" : "+"}{Math.abs(spread.sigma[layer]!).toFixed(1)} σ</b>}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </aside>
  );
}
