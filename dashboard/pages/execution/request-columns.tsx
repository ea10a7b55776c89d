// The columns of the profiler's tree where several executions stand beside each other: a column of time for each, then how the last differs from the first.
import type { MergedRequests } from "#core/trace/merge-requests.ts";
import { growthText } from "#core/trace/merge-requests.ts";
import type { RequestRow } from "#core/trace/request-rows.ts";
import { formatValue, type Unit } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { ShareBar } from "./share-bar.tsx";
import { SignedValue } from "./signed-value.tsx";
import type { TreeColumn } from "./tree-column.ts";
import type { Measures } from "./unlike-measures.ts";
import style from "./profiler-view.module.css";

// Which two the ratio and the difference are of: Slow and Fast where there are such, else the last and the first.
export function comparedPair({ requests }: MergedRequests): readonly [from: number, to: number] {
  const [fast, slow] = [requests.findIndex(({ label }) => label === "Fast"), requests.findIndex(({ label }) => label === "Slow")];
  return fast >= 0 && slow >= 0 ? [fast, slow] : [0, requests.length - 1];
}

// Where not all measure the same nothing is set against anything.
export function requestColumns(merged: MergedRequests, { units, alike }: Measures, ofParent: readonly number[]): TreeColumn<RequestRow>[] {
  const [from] = comparedPair(merged);
  const names = merged.requests.map(({ label }) => label);
  const first = names[from]!;
  return [
    ...names.map((label, request): TreeColumn<RequestRow> => ({
      name: `request-${request}`, label, title: requestTitle(merged, request), width: 104, csvName: `${label} ${units[request]!}`, value: ({ values }) => values[request]!,
      show: ({ values }) => { const value = values[request]!; return value === null ? <span title="This request did not call it">—</span> : <Quantity value={formatValue(value, units[request]!)} />; },
    })),
    { name: "of-parent", label: "of its parent", title: `Share of the time of the module it is called in, in ${first}`, width: 140, csvName: "share_of_parent", value: (_, at) => ofParent[at]!, show: (_, at) => <ShareBar share={ofParent[at]!} /> },
    ...(alike ? comparedColumns(merged, units[from]!) : []),
  ];
}

function comparedColumns(merged: MergedRequests, unit: Unit): TreeColumn<RequestRow>[] {
  const [from, to] = comparedPair(merged);
  const [first, last] = [merged.requests[from]!.label, merged.requests[to]!.label];
  return [
    { name: "ratio", label: `${last} ÷ ${first}`, title: `Time in ${last} by time in ${first}`, width: 110, csvName: "ratio", value: (node) => pairRatio(node, from, to), show: (node) => { const ratio = pairRatio(node, from, to); return ratio === null ? "—" : `${ratio.toFixed(ratio < 10 ? 2 : 0)}×`; } },
    { name: "difference", label: `${last} − ${first}`, title: `Time in ${last} less time in ${first}; what one of them did not call counts as 0`, width: 110, csvName: `difference_${unit}`, value: (node) => pairDifference(node, from, to), show: (node) => <SignedValue value={pairDifference(node, from, to)} unit={unit} /> },
    { name: "growth", label: "growth", title: "The exponent with which its longest call grows with the input tokens: 0 the same, 1 in proportion, 2 squared", width: 176, csvName: "growth", value: ({ growth }) => growth, show: ({ growth }) => (growth === null ? "—" : <Growth growth={growth} />) },
  ];
}

export function pairDifference({ values }: RequestRow, from: number, to: number): number {
  return (values[to] ?? 0) - (values[from] ?? 0);
}

// What takes longer with more input is flagged; what does not needs no words.
function Growth({ growth }: { readonly growth: number }) {
  return (
    <span title={growthText(growth)}>
      {growth >= 0.75 && <b className={style.growth}>{growth <= 1.25 ? "scales with input" : "faster than input"}</b>} {growth.toFixed(2)}
    </span>
  );
}

function pairRatio({ values }: RequestRow, from: number, to: number): number | null {
  const [less, more] = [values[from] ?? null, values[to] ?? null];
  return less === null || more === null || less === 0 ? null : more / less;
}

function requestTitle({ requests }: MergedRequests, request: number): string {
  const { label, inputTokens, outputTokens } = requests[request]!;
  return inputTokens === 0 ? label : `${label}: ${inputTokens.toLocaleString("en-US")} input tokens, ${outputTokens.toLocaleString("en-US")} output tokens`;
}
