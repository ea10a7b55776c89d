// What one thing took in every layer: a bar a layer, a line at the median, a band within which a layer is like the others, and the ones outside it in another
// pattern and named in text below. A listbox: arrows move, Enter opens the layer.
import { useId, useRef, useState, type KeyboardEvent } from "react";
import { printable } from "#core/printable.ts";
import { layerSpread } from "#core/trace/layer-spread.ts";
import { unlikeSentence } from "#core/trace/unlike-sentence.ts";
import { formatValue, type Unit } from "../../parts/number-format.ts";
import style from "./layer-bars.module.css";

const namedMax = 4; // outliers in text; the rest is counted

export type LayerBarsProps = {
  readonly label: string; // what the bars are of, spoken
  readonly what: string; // in sentences after the layer's name; "" = the layer itself
  readonly layers: readonly string[];
  readonly values: readonly number[];
  readonly unit: Unit;
  readonly selected: number | undefined;
  readonly open: (layer: number) => void;
  readonly barWidth?: number; // CSS px; absent: as wide as there is room
};

export function LayerBars({ label, what, layers, values, unit, selected, open, barWidth }: LayerBarsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [moved, setMoved] = useState<number | null>(null);
  const spread = layerSpread(values);
  const most = Math.max(spread.max, spread.high, 1);
  const active = Math.min(layers.length - 1, moved ?? selected ?? 0);
  const height = (value: number) => `${(100 * value) / most}%`;
  const text = (value: number) => formatValue(Math.round(value), unit).text;
  const go = (to: number) => {
    const next = Math.min(layers.length - 1, Math.max(0, to));
    setMoved(next);
    list.current?.querySelectorAll("[role=option]")[next]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowLeft: active - 1, ArrowRight: active + 1, Home: 0, End: layers.length - 1 }[event.key];
    if (to !== undefined) go(to);
    else if (event.key === "Enter" || event.key === " ") open(active);
    else return;
    event.preventDefault();
  };
  const unlike = new Set(spread.unlike);
  const sentence = (layer: number) => unlikeSentence(printable(layers[layer]!), what, text(values[layer]!), spread, values, layer);
  return (
    <div className={style.bars} data-fixed={barWidth !== undefined}>
      <div className={style.scroll}>
        <div
          ref={list}
          className={style.chart}
          role="listbox"
          aria-orientation="horizontal"
          aria-label={`${label}, by layer`}
          tabIndex={0}
          aria-activedescendant={`${id}-${active}`}
          onKeyDown={keyDown}
          onBlur={() => setMoved(null)}
          style={{ gridTemplateColumns: `repeat(${layers.length}, ${barWidth === undefined ? "minmax(8px, 1fr)" : `${barWidth}px`})` }}
          data-testid="layer-bars"
          data-median={spread.median}
        >
          <span className={style.band} aria-hidden="true" style={{ bottom: height(spread.low), height: `calc(${height(spread.high)} - ${height(spread.low)})` }} />
          <span className={style.median} aria-hidden="true" style={{ bottom: height(spread.median) }} />
          {values.map((value, layer) => (
            <div
              key={layer}
              id={`${id}-${layer}`}
              role="option"
              aria-selected={layer === selected}
              aria-label={`${printable(layers[layer]!)}: ${text(value)}${unlike.has(layer) ? `, ${spread.sigma[layer]!.toFixed(1)} σ` : ""}`}
              title={`${printable(layers[layer]!)}\n${formatValue(value, unit).text} (${formatValue(value, unit).exact})\n${spread.sigma[layer]!.toFixed(1)} σ`}
              className={style.bar}
              data-active={layer === active}
              data-unlike={unlike.has(layer)}
              onClick={() => open(layer)}
            >
              <span style={{ height: `max(1px, ${height(value)})` }} />
            </div>
          ))}
        </div>
      </div>
      <p className={style.ends} aria-hidden="true" style={barWidth === undefined ? undefined : { width: Math.max(layers.length * barWidth, 120) }}>
        <span>{printable(layers[0] ?? "")}</span>
        <span>{printable(layers.at(-1) ?? "")}</span>
      </p>
      <p className={style.figures}>
        min {text(spread.min)} · median {text(spread.median)} · max {text(spread.max)} · σ {text(spread.deviation)}
      </p>
      {spread.unlike.length > 0 ? (
        <ul className={style.unlike} data-testid="unlike-layers">
          {spread.unlike.slice(0, namedMax).map((layer) => (
            <li key={layer}>
              <button type="button" onClick={() => open(layer)}>
                {sentence(layer)}
              </button>
            </li>
          ))}
          {spread.unlike.length > namedMax && <li>and {spread.unlike.length - namedMax} more outside the band</li>}
        </ul>
      ) : (
        <p className={style.figures}>{layers.length < 4 ? "Fewer than four layers: none is called unlike the others." : "Every layer lies within the band: median ± 3 × the median distance."}</p>
      )}
    </div>
  );
}
