// Sums by interval → the points of a timeline. Invariant: the points add up to `matched`, which without a search is the total, exactly, in whichever unit: each
// point is the difference of two rounded running sums.
import type { FlamegraphTimeline } from "#schema/api/flamegraph-tables.ts";
import type { ProfileTypeName } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { measureOf } from "../measure.ts";

export type IntervalRow = { readonly interval: number; readonly value: string; readonly count: string; readonly samples: string };

// `whole`: of the selection, of which the rows may be a part. `stepS`: null when the intervals are steps of an execution.
export function timelinePoints(
  rows: readonly IntervalRow[], whole: { readonly value: bigint; readonly samples: number; readonly withoutLayer: bigint }, stepS: number | null, profileType: ProfileTypeName,
): Pick<FlamegraphTimeline, "unit" | "samples" | "total" | "withoutLayer" | "by" | "stepS" | "matched" | "points"> {
  const measure = measureOf(whole.value, profileType);
  const points: FlamegraphTimeline["points"] = { t: [], value: [], count: [] };
  let sum = 0n;
  for (const { interval, value, count } of rows) {
    const before = measure.of(sum);
    sum += BigInt(value);
    points.t.push(interval * (stepS ?? 1));
    points.value.push(measure.of(sum) - before);
    points.count.push(Number(count));
  }
  return { unit: measure.unit, samples: whole.samples, total: measure.total, withoutLayer: measure.of(whole.withoutLayer), by: stepS === null ? "step" : "time", stepS, matched: measure.of(sum), points };
}

const stepsS = [60, 120, 300, 600, 900, 1_800, 3_600, 2 * 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600, 86_400];
// Beyond it whole hours, which a roll-up has: to read every sample of a week for a curve would cost a hundred times as much.
const minutesUntilS = 2 * 86_400;

export function defaultStepS({ fromS, toS }: { readonly fromS: number; readonly toS: number }): number {
  const least = toS - fromS > minutesUntilS ? 3_600 : 60;
  return stepsS.find((step) => step >= least && stepsIn({ fromS, toS }, step) <= limits.timelinePointsMax)!; // 90 days have 91 of the longest
}

// Steps begin at multiples of their length, so a range that begins inside one has one more.
export function stepsIn({ fromS, toS }: { readonly fromS: number; readonly toS: number }, stepS: number): number {
  return Math.floor((toS - 1) / stepS) - Math.floor(fromS / stepS) + 1;
}
