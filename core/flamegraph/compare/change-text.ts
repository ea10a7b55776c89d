// The words of a comparison, on pages and in terminals: what values are divided by, a side, a figure, a change, its interval.
import type { FlamegraphComparison, ProfileDifference } from "#schema/api/flamegraph-comparison.ts";
import { plural, quantityText, shareText } from "../../quantity.ts";

export const basisWords = { share: "of the selection", launch: "per launch", time: "per second or step", token: "per token, of prompts and generated" } as const;

export function sideLine(name: string, side: FlamegraphComparison["a"], { unit }: FlamegraphComparison): string {
  const what = side.execution === null ? `${side.range.from} to ${side.range.to}` : `execution ${side.execution.id.slice(0, 12)} ${side.execution.name}`;
  return `${name}  ${what}: ${quantityText(Math.round(side.value), unit)} (${shareText(side.value > 0 ? side.withoutLayer / side.value : 0)} without a model layer) in ${plural(side.count, "launch", "launches")}, ${plural(side.samples, "sample", "samples")}, ${plural(side.intervals, "interval", "intervals")}${side.tokens === null ? "" : `, ${plural(side.tokens, "token", "tokens")}`}`;
}

export function basisFigure(value: number | null, { basis, unit }: Pick<FlamegraphComparison, "basis" | "unit">): string {
  if (value === null) return "—";
  return basis === "share" ? shareText(value) : quantityText(value < 10 ? Number(value.toPrecision(3)) : Math.round(value), unit);
}

// "+12.3 %", "new", "gone"; a dash where nothing can be said.
export function changeOf({ relative, a, b }: { readonly relative: number | null; readonly a: { readonly count: number }; readonly b: { readonly count: number } }): string {
  return relative !== null ? changeText(relative) : a.count === 0 && b.count > 0 ? "new" : b.count === 0 && a.count > 0 ? "gone" : "—";
}

function changeText(relative: number): string {
  return `${relative > 0 ? "+" : relative < 0 ? "−" : ""}${Math.abs(relative * 100).toFixed(1)} %`;
}

export function intervalText({ interval }: ProfileDifference): string {
  return interval === null ? "" : `${changeText(interval[0])} … ${changeText(interval[1])}`;
}
