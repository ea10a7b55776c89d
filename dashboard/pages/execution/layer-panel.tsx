// One layer: its operators, each against the same operator in all layers; one that is opened shows every layer, and what it launched in this one.
import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useMemo } from "react";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import type { LayerGrid, LayerRun } from "#core/trace/layer-grid.ts";
import { layerOperators } from "#core/trace/layer-operators.ts";
import { layerSpread } from "#core/trace/layer-spread.ts";
import { unlikeBy } from "#core/trace/module-lines.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import control from "../../parts/control.module.css";
import { formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { KernelChain } from "./kernel-chain.tsx";
import { LayerBars } from "./layer-bars.tsx";
import { FramesLink } from "./module-panel.tsx";
import type { ChangeExecution } from "./use-execution-search.ts";
import style from "./layer-panel.module.css";
import panel from "./module-panel.module.css";

const shownMax = 60;

export type LayerPanelProps = {
  readonly executionId: string;
  readonly record: ExecutionRecord;
  readonly run: LayerRun;
  readonly grid: LayerGrid;
  readonly layer: number;
  readonly column: number; // whose operators, with those of what it calls
  readonly op: string | undefined; // "column operator"
  readonly change: ChangeExecution;
  readonly close: () => void;
};

export function LayerPanel({ executionId, record, run, grid, layer, column, op, change, close }: LayerPanelProps) {
  const { modules, texts, profileType, operationsLeftOut, kernelsLeftOut } = record;
  const { unit, label } = profileTypes[profileType];
  const all = useMemo(() => layerOperators(record, grid), [record, grid]);
  const onGpu = profileType === "cuda";
  const top = grid.columns[column]!;
  const end = grid.columns.findIndex((one, at) => at > column && one.depth <= top.depth);
  const shown = all.filter((one) => one.column >= column && (end < 0 || one.column < end) && (one.value[layer]! > 0 || one.cpuNs[layer]! > 0));
  const rowsOf = (at: number) => modules.parent.flatMap((_, row) => (grid.columnOf[row] === at && grid.layerOf[row] === layer ? [row] : []));
  const spread = layerSpread(top.values);
  const go = (to: number) => change({ layer: String(to) });
  return (
    <aside className={panel.panel} aria-label="Layer details" data-testid="layer-panel" data-layer={layer}>
      <header>
        <div>
          <h2>
            {printable(grid.layers[layer]!)}
            {column > 0 && ` · ${printable(top.label)}`}
          </h2>
          <p className={panel.path}>{printable(texts[modules.path[run.rows[layer]!]!]!)}</p>
        </div>
        <span className={style.steps}>
          <button type="button" className={`${control.button} ${control.icon}`} aria-label="Previous layer" disabled={layer === 0} onClick={() => go(layer - 1)}>
            <ChevronLeft size={14} />
          </button>
          <button type="button" className={`${control.button} ${control.icon}`} aria-label="Next layer" disabled={layer === grid.layers.length - 1} onClick={() => go(layer + 1)}>
            <ChevronRight size={14} />
          </button>
          <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Close the details" onClick={close}>
            <X size={14} />
          </button>
        </span>
      </header>
      <FramesLink executionId={executionId} names={[texts[modules.name[run.rows[layer]!]!]!]} />
      <dl className={panel.facts}>
        <div>
          <dt>{label}</dt>
          <dd>
            <Quantity value={formatValue(top.values[layer]!, unit)} />
          </dd>
        </div>
        <div title="In standard deviations from the mean of all layers">
          <dt>Against its siblings</dt>
          <dd>
            {spread.sigma[layer]! < 0 ? "−" : "+"}
            {Math.abs(spread.sigma[layer]!).toFixed(1)} σ{spread.median > 0 && `, ${(top.values[layer]! / spread.median).toFixed(2)} × the median`}
          </dd>
        </div>
      </dl>
      <section>
        <h3>Operators of this layer, against all {grid.layers.length}</h3>
        <ul className={panel.operators} data-testid="layer-operators">
          {shown.slice(0, shownMax).map((one) => {
            const values = one.value.some((value) => value > 0) ? one.value : one.cpuNs;
            const across = layerSpread(values);
            const ratio = across.median === 0 ? null : values[layer]! / across.median;
            const unlike = across.unlike.includes(layer) && ratio !== null && Math.abs(ratio - 1) > unlikeBy;
            const key = `${one.column} ${texts[one.op]!}`;
            const open = op === key;
            const name = printable(texts[one.op]!) || "no operator";
            return (
              <li key={key}>
                <button type="button" className={style.operator} aria-expanded={open} onClick={() => change({ op: open ? undefined : key })} data-testid="layer-operator" data-op={texts[one.op]} data-column={one.column}>
                  <ChevronRight size={13} aria-hidden="true" data-open={open} />
                  <span className={style.name}>
                    <code>{name}</code>
                    <small>{printable(grid.columns[one.column]!.label)}</small>
                  </span>
                  <span className={style.time}>
                    <Quantity value={formatValue(values[layer]!, "ns")} />
                    <small title="Median over the layers, and the range">
                      {onGpu && values === one.cpuNs && "CPU · "}median {formatValue(across.median, "ns").text}
                      {unlike && <b className={style.unlike}> {ratio.toFixed(2)}×</b>}
                    </small>
                  </span>
                </button>
                {open && (
                  <div className={style.opened}>
                    <LayerBars label={`${values === one.value ? "GPU time" : "Time on the host"} of ${name}`} what={`${printable(grid.columns[one.column]!.label)} ${name}`} layers={grid.layers} values={values} unit="ns" selected={layer} open={go} />
                    <KernelChain record={record} rows={rowsOf(one.column)} op={one.op} calls={one.calls[layer]!} cpuNs={one.cpuNs[layer]!} />
                  </div>
                )}
              </li>
            );
          })}
        </ul>
        <p className={panel.note}>
          {shown.length === 0 ? "No operator of this layer is in the record. " : shown.length > shownMax ? `and ${plural(shown.length - shownMax, "shorter one", "shorter ones")}. ` : ""}
          {operationsLeftOut + kernelsLeftOut > 0 && "Short operators and kernels have no room in the record; the flamegraph has them. "}
          In order of time over all layers: the record does not keep the order of calls.
        </p>
      </section>
    </aside>
  );
}
