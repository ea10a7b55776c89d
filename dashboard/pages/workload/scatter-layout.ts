// Where the points of a scatter lie, in CSS px of its canvas, and which one the pointer is at.
import { scaleLinear, scaleLog, type ScaleLinear, type ScaleLogarithmic } from "d3-scale";
import type { Requests } from "#core/workload/requests.ts";
import { scatterAxes, type ScatterName } from "./scatter-axes.ts";

export const margin = { left: 56, right: 14, top: 26, bottom: 36 } as const;

export type Scale = ScaleLinear<number, number> | ScaleLogarithmic<number, number>;
export type ScatterLayout = {
  readonly across: Scale; // tokens → px
  readonly upwards: Scale; // ms → px
  readonly x: Float32Array; // by row; NaN: the request has no point
  readonly y: Float32Array;
  readonly without: number; // requests that have no point: a number is not given, or 0 on a log axis
};

export function scatterLayout(requests: Requests, name: ScatterName, log: boolean, width: number, height: number): ScatterLayout {
  const tokens = requests[scatterAxes[name].across];
  const us = requests[scatterAxes[name].upwards];
  const across = scaleOf(tokens, 1, log, [margin.left, Math.max(margin.left + 1, width - margin.right)]);
  const upwards = scaleOf(us, 1_000, log, [Math.max(margin.top + 1, height - margin.bottom), margin.top]);
  const x = new Float32Array(requests.n);
  const y = new Float32Array(requests.n);
  let without = 0;
  for (let row = 0; row < requests.n; row++) {
    const [token, ms] = [tokens[row]!, us[row]! / 1_000];
    const drawn = log ? token > 0 && ms > 0 : token >= 0 && ms >= 0;
    if (!drawn) without++;
    x[row] = drawn ? across(token) : Number.NaN;
    y[row] = drawn ? upwards(ms) : Number.NaN;
  }
  return { across, upwards, x, y, without };
}

function scaleOf(values: Float64Array, per: number, log: boolean, range: [number, number]): Scale {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    if (value > high) high = value;
    if (value > 0 && value < low) low = value;
  }
  if (high === 0) [low, high] = [1, 1];
  // Room of a twentieth on either side, so that no point sits on the frame.
  if (log) return scaleLog([low / per / 1.15, (high / per) * 1.15], range);
  return scaleLinear([0, (high / per) * 1.04], range);
}

// The nearest of these rows within `reach` px; undefined: none is so near.
export function nearestPoint({ x, y }: ScatterLayout, rows: ArrayLike<number>, atX: number, atY: number, reach = 12): number | undefined {
  let found: number | undefined;
  let best = reach * reach;
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place]!;
    const distance = (x[row]! - atX) ** 2 + (y[row]! - atY) ** 2;
    if (distance <= best) [found, best] = [row, distance];
  }
  return found;
}

// The next point in a direction: of those with a point the one that follows in the order of that axis, of equal ones in the order of the file. Undefined at the end.
export function nextPoint({ x, y }: ScatterLayout, rows: ArrayLike<number>, from: number | null, key: "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown"): number | undefined {
  const axis = key === "ArrowLeft" || key === "ArrowRight" ? x : y;
  const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  const start = from === null || Number.isNaN(axis[from]!) ? -Infinity : sign * axis[from]!;
  let found: number | undefined;
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place]!;
    const at = sign * axis[row]!;
    if (Number.isNaN(at) || row === from || at < start || (at === start && from !== null && sign * row < sign * from)) continue;
    if (found === undefined || at < sign * axis[found]! || (at === sign * axis[found]! && sign * row < sign * found)) found = row;
  }
  return found;
}

export function ticksOf(scale: Scale, count: number): { readonly value: number; readonly label: string }[] {
  const format = scale.tickFormat(count, "~s");
  return scale.ticks(count).flatMap((value) => (format(value) === "" ? [] : [{ value, label: value < 1_000 ? String(Number(value.toPrecision(6))) : value.toLocaleString("en-US") }]));
}
