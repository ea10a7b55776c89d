// Values as people read them: a time with three or four digits and its unit, a count with its thousands apart, a share in percent.
import type { Flamegraph } from "#schema/api/flamegraph.ts";

// `value` in the answer's unit.
export function quantityText(value: number, unit: Flamegraph["unit"]): string {
  return unit === "count" ? countText(value) : durationText(unit === "us" ? value * 1e3 : value);
}

export function durationText(ns: number): string {
  if (ns < 1e3) return `${ns} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  if (ns < 1e10) return `${grouped((ns / 1e6).toFixed(2))} ms`;
  if (ns < 3.6e12) return `${grouped((ns / 1e9).toFixed(2))} s`;
  return `${grouped((ns / 3.6e12).toFixed(2))} h`;
}

export function countText(count: number): string {
  return grouped(String(count));
}

export function plural(count: number, one: string, many: string): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

// `share` 0…1. A share that is not nothing never reads as 0.0 %.
export function shareText(share: number): string {
  return share > 0 && share < 0.0005 ? "<0.1 %" : `${(share * 100).toFixed(1)} %`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");
}
