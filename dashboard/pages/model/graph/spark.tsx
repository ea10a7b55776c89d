// The times of the copies of a folded module: a bar each, in the order of the model, and which is unlike the others.
import { attributeName } from "#core/module-path.ts";
import { printable } from "#core/printable.ts";
import { formatValue, type Unit } from "../../../parts/number-format.ts";
import type { CopyTime, ModuleTime } from "../module-times.ts";
import style from "./module-graph.module.css";

export function Spark({ time, unit }: { readonly time: ModuleTime; readonly unit: Unit }) {
  const { copies, most, least, median, unlike } = time;
  const odd = new Set(unlike.map(({ path }) => path));
  const bars = (of: (copy: CopyTime) => boolean) => copies.map((copy, at) => (of(copy) ? barPath(at, copy.value / (most.value || 1)) : "")).join("");
  const named = unlike[0];
  return (
    <span
      className={style.spark}
      title={`${copies.length} copies with samples: median ${formatValue(median, unit).text}, least ${formatValue(least.value, unit).text} (${printable(indexOf(least, most))}), most ${formatValue(most.value, unit).text} (${printable(indexOf(most, least))})`}
      data-testid="spark"
    >
      <svg viewBox={`0 0 ${copies.length} 1`} preserveAspectRatio="none" aria-hidden="true">
        <path d={bars(({ path }) => !odd.has(path))} />
        <path className={style.odd} d={bars(({ path }) => odd.has(path))} />
      </svg>
      <span className={named === undefined ? undefined : style.outlier}>
        {named === undefined ? `med ${formatValue(median, unit).text}` : `${printable(indexOf(named, named.path === most.path ? least : most))} ${named.times.toFixed(named.times < 10 ? 1 : 0)}×`}
      </span>
    </span>
  );
}

function barPath(at: number, height: number): string {
  return `M${at + 0.1} 1V${1 - height}H${at + 0.9}V1Z`;
}

// Where the paths of two copies part: "layers.41" of model.layers.41.self_attn.
export function indexOf(copy: CopyTime, other: CopyTime): string {
  const [steps, others] = [copy.path.split("."), other.path.split(".")];
  const parting = steps.findIndex((step, i) => step !== others[i]);
  return parting < 0 ? attributeName(copy.path) : steps.slice(Math.max(0, parting - 1), parting + 1).join(".");
}
