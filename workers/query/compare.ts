// What differs from one selection to another: choose both, ask for sums by interval and for the nodes of both, compare.
import { comparedNodes, kernelSeries, moduleSeries } from "#clickhouse/compare.ts";
import type { Interval, SampleSelection } from "#clickhouse/samples.ts";
import { retainedFromS } from "#clickhouse/samples.ts";
import { selectionSums, timeline } from "#clickhouse/timeline.ts";
import { ProfileComparer, type SideTotals, intervalSeconds, intervalsOf, paired } from "#core/flamegraph/compare/compare-profiles.ts";
import { comparedColumns, comparedTree } from "#core/flamegraph/compare/compare-tree.ts";
import { noTokens, shareOutside } from "#core/flamegraph/compare/token-basis.ts";
import { measureOf } from "#core/flamegraph/measure.ts";
import { kernelCategory } from "#core/kernel-category.ts";
import { shareText } from "#core/quantity.ts";
import type { ComparisonBasis } from "#schema/api/flamegraph-comparison.ts";
import { type ProfileTypeName, profileTypes } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";
import { type Handler, type RouteContext, rowsOf } from "../route-context.ts";
import type { routes } from "#schema/api/routes.ts";
import { asExecution } from "./executions.ts";
import { type ProfileSelection, profileSelection } from "./profile-selection.ts";
import { stackViewOf } from "./stack-view.ts";
import { tokensOf } from "./token-basis.ts";

type Context = RouteContext<(typeof routes)["flamegraphCompare"]>;

export const flamegraphCompare: Handler<"flamegraphCompare"> = async (context) => {
  const { query } = context;
  const { a_from, a_to, a_filter, a_execution, basis, layers, hide, limit, max_nodes, ...b } = query;
  const now = await profileSelection({ ...context, query: b });
  const { fromS, toS } = now.selection;
  const before = await profileSelection({
    ...context,
    query: { ...b, type: now.shown.type, from: a_from ?? String(2 * fromS - toS), to: a_to ?? String(fromS), filter: a_filter ?? b.filter, ...(a_execution === undefined ? { execution: "live" } : { execution: a_execution }) },
  });
  if (now.shown.execution !== null && a_execution === undefined && a_from === undefined) {
    throw new ApiError("parameter_invalid", { detail: "B is an execution; say with `a_execution` which one it is compared with, or with `a_from` and `a_to` which live range." });
  }
  const foldLayers = layers === "fold";
  const view = { ...stackViewOf({ layers, hide, invert: "0", side: "callees", focus: "" }), layersByPath: true };
  const [sideA, sideB] = [await sideOf(context, before, "A", foldLayers), await sideOf(context, now, "B", foldLayers)];
  const rows = await rowsOf(context, comparedNodes(before.selection, now.selection, view, max_nodes), "compare");

  const { unit } = measureOf(BigInt(sideA.totals.value + sideB.totals.value), now.shown.type);
  const perUnit = unit === "us" ? 1_000 : 1;
  const comparer = new ProfileComparer(basis, sideA.totals, sideB.totals, perUnit);
  const modules = comparer.rows(paired(sideA.modules, sideB.modules, (row) => row.path), limit);
  const kernels = comparer.rows(paired(sideA.kernels, sideB.kernels, (row) => row.name), limit);
  const categories = comparer.rows(paired(sideA.kernels, sideB.kernels, (row) => kernelCategory(row.name)), limit);
  const classes = new Map([...sideA.modules, ...sideB.modules].map((row) => [row.path, row.classes]));
  const tree = comparedTree(rows);
  return {
    profileType: now.shown.type, unit, basis, ingestedThrough: now.extent.ingestedThrough, a: sideA.shown(perUnit), b: sideB.shown(perUnit),
    overall: comparer.row(sideA.whole, sideB.whole),
    modules: modules.rows.map(({ key, ...row }) => ({ path: key, classes: classes.get(key) ?? [], ...row })),
    categories: categories.rows.map(({ key, ...row }) => ({ name: key, ...row })),
    kernels: kernels.rows.map(({ key, ...row }) => ({ name: key, ...row })),
    left: { modules: modules.left, kernels: kernels.left },
    truncated: { nodes: tree.cutNodes, total: Number(tree.cutTotal) / perUnit },
    ...comparedColumns(tree, (value) => Number(value) / perUnit),
    notes: [...notesOf(before, now, basis, { a: sideA.whole.intervals.length, b: sideB.whole.intervals.length }), ...sideA.notes, ...sideB.notes],
  };
};

async function sideOf(context: Context, profile: ProfileSelection, label: "A" | "B", foldLayers: boolean) {
  const { selection, shown, extent } = profile;
  const interval: Interval = selection.executionId === "" ? { seconds: intervalSeconds(selection, limits.compareIntervalsMax) } : "step";
  const byToken = context.query.basis === "token";
  const told = byToken ? await tokensOf(context, profile, interval, label) : { tokens: noTokens, notes: [] };
  const [totals, [sums], modules, kernels] = await Promise.all([
    rowsOf(context, timeline(selection, interval, limits.queryResultRowsMax), `compare-totals-${label}`),
    rowsOf(context, selectionSums(selection), `compare-whole-${label}`),
    rowsOf(context, moduleSeries(selection, interval, foldLayers), `compare-modules-${label}`),
    rowsOf(context, kernelSeries(selection, interval), `compare-kernels-${label}`),
  ]);
  const values = new Map(totals.map((row) => [row.interval, Number(row.value)]));
  const whole = { intervals: totals.map((row) => row.interval), values: totals.map((row) => row.value), counts: totals.map((row) => row.count) };
  const [value, count] = [total(whole.values), total(whole.counts)];
  const sideTotals: SideTotals = { seconds: interval === "step" ? new Map(totals.map((row) => [row.interval, 1])) : intervalsOf(kept(selection), interval.seconds), tokens: told.tokens, values, value, count };
  return {
    totals: sideTotals, whole, modules, kernels, notes: [...told.notes, ...(byToken ? outsideNote(sideTotals, label, interval) : [])],
    shown: (perUnit: number) => ({
      range: extent.range, execution: shown.execution && asExecution(shown.execution), samples: totals.reduce((sum, row) => sum + Number(row.samples), 0),
      value: value / perUnit, withoutLayer: Number(sums!.without_layer) / perUnit, count,
      intervals: byToken ? told.tokens.bySpan.size : sideTotals.seconds.size, tokens: byToken ? [...told.tokens.bySpan.values()].reduce((sum, tokens) => sum + tokens, 0) : null,
    }),
  };
}

function outsideNote({ tokens, values }: SideTotals, label: string, interval: Interval): string[] {
  const share = shareOutside(tokens, values);
  const where = interval === "step" ? "outside steps whose marks say their tokens" : "at times of which it is not known how many tokens were counted";
  return share === 0 || tokens === noTokens ? [] : [`${shareText(share)} of ${label} lies ${where}, and is left out`];
}

function kept({ fromS, toS, scope, nowS }: SampleSelection) {
  return { fromS: Math.max(fromS, retainedFromS(scope, nowS)), toS };
}

function total(values: readonly string[]): number {
  return Number(values.reduce((sum, value) => sum + BigInt(value), 0n));
}

// A live range beside an execution.
const notComparable: Readonly<Record<ComparisonBasis, readonly string[]>> = {
  share: [], launch: [],
  time: ["One side is live and the other an execution: seconds of a range and steps of an execution do not compare; use the share or launches"],
  token: ["One side is live and the other an execution: engines count prompt tokens that came from a cache, steps only those that were computed; use the share or launches"],
};

function notesOf(a: ProfileSelection, b: ProfileSelection, basis: ComparisonBasis, intervals: { readonly a: number; readonly b: number }): string[] {
  const [ofA, ofB] = [a.shown.execution, b.shown.execution];
  const empty = (["a", "b"] as const).filter((side) => intervals[side] === 0).map((side) => {
    const recorded = (side === "a" ? ofA : ofB)?.profile_type;
    const of = recorded === undefined || recorded === b.shown.type ? "" : `; it holds ${profileTypes[recorded as ProfileTypeName].label}`;
    return `${side.toUpperCase()} has no samples of ${profileTypes[b.shown.type].label}${of}`;
  });
  return [
    ...empty,
    ...((ofA === null) !== (ofB === null) ? notComparable[basis] : []),
    ...(b.shown.reason === "no_live_samples" ? ["The range of B has no live samples: its latest execution is compared"] : []),
  ];
}
