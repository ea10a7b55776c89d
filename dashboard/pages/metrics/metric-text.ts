// A value of a panel as a person reads it. What is estimated from buckets says so, and so does what lies above the last of them.
import type { PanelUnit } from "./panels.ts";

export function metricText(value: number | null | undefined, unit: PanelUnit, estimated = false, above = false): string {
  if (value === null || value === undefined) return "—";
  const mark = above ? "> " : estimated ? "≈ " : "";
  if (unit === "seconds") return mark + axisText(value, unit, 4);
  if (unit === "ratio") return `${mark}${(100 * value).toFixed(1)} %`;
  return mark + value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : value < 1_000 ? 1 : 0 });
}

// For an axis: as short as it goes.
export function axisText(value: number, unit: PanelUnit, digits = 3): string {
  if (unit === "ratio") return `${Number((100 * value).toFixed(1))} %`;
  if (unit === "seconds") return value === 0 ? "0" : value < 0.001 ? `${Number((value * 1e6).toPrecision(digits))} µs` : value < 1 ? `${Number((value * 1e3).toPrecision(digits))} ms` : `${Number(value.toPrecision(4)).toLocaleString("en-US")} s`;
  return value >= 10_000 ? `${Number((value / 1_000).toPrecision(4)).toLocaleString("en-US")}k` : Number(value.toPrecision(4)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

// A tick of the time axis, ticks so many seconds apart: 18:05, with seconds where they differ; the day at midnight.
export function clockText(atS: number, stepS: number): string {
  const at = new Date(atS * 1_000);
  const two = (n: number) => String(n).padStart(2, "0");
  if (at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0 && (stepS >= 3_600)) return `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${two(at.getHours())}:${two(at.getMinutes())}${stepS < 60 ? `:${two(at.getSeconds())}` : ""}`;
}

// The same as the engine's number, for hovering.
export function exactMetric(value: number | null | undefined, unit: PanelUnit, estimate: "buckets" | "engine" | null): string {
  if (value === null || value === undefined) return "No point in this step";
  const from = estimate === "buckets" ? "; estimated: interpolated inside a bucket of the engine's histogram" : estimate === "engine" ? "; the engine's own quantile" : "";
  return `${value.toLocaleString("en-US", { maximumSignificantDigits: 12 })}${unit === "ratio" ? " of 1" : ` ${unit}`}${from}`;
}
