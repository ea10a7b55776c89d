// An execution's record for people: what it is, its steps, what could not be placed, what the kernels do, the folded module tree and the longest kernels. Names
// come from a file: control characters are shown, never sent.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { printable } from "../printable.ts";
import { countText, durationText, plural, quantityText, shareText } from "../quantity.ts";
import { table } from "../table.ts";
import type { GapReason } from "./execution.ts";
import { kernelLines } from "./kernel-lines.ts";
import { moduleLines, unlikeBy } from "./module-lines.ts";
import { type ModuleStatistics, moduleStatistics } from "./module-statistics.ts";
import { operatorLines } from "./operator-lines.ts";
import { pathNames } from "./path-names.ts";
import { gapAdvice } from "./gap-advice.ts";
import { stepLines } from "./step-lines.ts";

export type RecordTextOptions = {
  readonly name: string; // of the execution, shown first
  readonly top: number; // kernels, or operators where there are no kernels
};

const underShare = 0.001; // smaller modules are one line together

export function recordText(record: ExecutionRecord, { name, top }: RecordTextOptions): string {
  const nodes = moduleStatistics(record);
  const kernels = kernelLines(record, top, pathNames(record, nodes));
  const sections = [headLines(record, name), gapLines(record), stepLines(record), categoryLines(record), treeLines(record, nodes), kernels.length > 0 ? kernels : operatorLines(record, top), missingLines(record)];
  return `${sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function headLines(record: ExecutionRecord, name: string): string[] {
  const { device, recordedAtNs, durationNs, events, profileType, headline, modelName, rank, worldSize, devices, copies, request } = record;
  const at = recordedAtNs === "0" ? "recorded at an unknown time" : `recorded ${new Date(Number(BigInt(recordedAtNs) / 1_000_000n)).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return [
    name, [...(modelName === "" ? [] : [modelName]), device, ...(rank >= 0 ? [`rank ${rank}${worldSize > 0 ? ` of ${worldSize}` : ""}`] : []), at, ...(durationNs > 0 ? [durationText(durationNs)] : []), plural(events, "event", "events")].join(" · "),
    profileType === "cuda" || profileType === "cpu_op" ? totalsLine(record) : headline,
    ...(request === null ? [] : [`the ${request.label} request: ${plural(request.inputTokens, "input token", "input tokens")}, ${plural(request.outputTokens, "output token", "output tokens")}, ${durationText(request.latencyNs)}`]),
    ...(devices.length < 2 ? [] : devices.map((one) => `GPU ${one.device}: ${durationText(one.value)} in ${plural(one.kernels, "kernel", "kernels")} on ${plural(one.streams, "stream", "streams")}, busy ${durationText(one.busyNs)}`)),
    ...(copies.length === 0 ? [] : [`copies and fills, no kernels: ${copies.map(({ kind, count, durationNs: ns }) => `${kind} ×${countText(count)} (${durationText(ns)})`).join(", ")}`]),
  ].map(printable);
}

function totalsLine(record: ExecutionRecord): string {
  const { totals, profileType, durationNs, devices, pathSource } = record;
  const { unit, label } = profileTypes[profileType];
  const busy = `GPU busy ${durationText(totals.busyNs)}${durationNs > 0 && devices.length < 2 ? ` (${shareText(totals.busyNs / durationNs)} of the recording)` : ""}`;
  const paths = { none: "no modules recorded", recorded: "", aligned: "module paths aligned to a shape", inferred: "module paths inferred: Class[n] in order of first call" }[pathSource];
  return [
    `${quantityText(totals.value, unit)} ${label} in ${work(record, totals.kernels)}`, `${quantityText(totals.moduleValue, unit)} (${shareText(totals.value === 0 ? 0 : totals.moduleValue / totals.value)}) inside modules`,
    ...(totals.busyNs > 0 ? [busy] : []), ...(paths === "" ? [] : [paths]),
  ].join(" · ");
}

function gapLines(record: ExecutionRecord): string[] {
  const { gaps, totals, profileType } = record;
  if (gaps.length === 0) return [];
  const rows = gaps.map(({ reason, kernels, value }) => [
    quantityText(value, profileTypes[profileType].unit), shareText(totals.value === 0 ? 0 : value / totals.value), work(record, kernels), printable(`${reason}${Object.hasOwn(gapAdvice, reason) ? `: ${gapAdvice[reason as GapReason]}` : ""}`),
  ]);
  return ["Not inside a module", ...indented(table(["", "", "", ""], rows, [0, 1, 2]))];
}

const barCells = 24;

function categoryLines({ categories, totals, profileType }: ExecutionRecord): string[] {
  if (categories.length === 0) return [];
  const most = categories.reduce((longest, { value }) => Math.max(longest, value), 1);
  const rows = categories.map(({ category, kernels, value }) => [
    quantityText(value, profileTypes[profileType].unit), shareText(totals.value === 0 ? 0 : value / totals.value), printable(category), plural(kernels, "kernel", "kernels"), "█".repeat(Math.round((barCells * value) / most)),
  ]);
  return ["What the kernels do", ...indented(table(["", "", "", "", ""], rows, [0, 1, 3]))];
}

function treeLines(record: ExecutionRecord, nodes: readonly ModuleStatistics[]): string[] {
  if (nodes.length === 0) return [];
  const { profileType, modulesLeftOut } = record;
  const folded = nodes.some(({ rows }) => rows.length > 1);
  const unlike = nodes.some((node) => node.unlike.some(({ ratio }) => Math.abs(ratio - 1) > unlikeBy));
  return [
    "Modules", `  min, median, max: ${profileType === "cuda" ? "GPU time" : "time on the host"} of one call${folded ? "; copies built alike are one line ×N, with the sum of all, and the median of their medians" : ""}`,
    ...(unlike ? [`  ←: copies unlike the others, and how many times the median they took (outside 3 × the median distance, and ${100 * unlikeBy} % off)`] : []),
    ...(modulesLeftOut > 0 ? [`  ${plural(modulesLeftOut, "short module has", "short modules have")} no room in the record; the flamegraph has them`] : []),
    ...moduleLines(record, nodes, underShare).map((line) => `  ${line}`),
  ];
}

function missingLines({ missing, notes }: ExecutionRecord): string[] {
  return [...missing.map(({ what, disables, remedy }) => `missing: ${what}. Without it: ${disables}. ${remedy}`), ...notes.map((note) => `note: ${note}`)].map(printable);
}

function work({ profileType }: ExecutionRecord, count: number): string {
  return profileType === "cuda" ? plural(count, "kernel", "kernels") : profileType === "cpu_op" ? plural(count, "operator call", "operator calls") : plural(count, "sample", "samples");
}

// Of a table with an empty head.
function indented(text: string): string[] {
  return text.split("\n").slice(1).map((line) => `  ${line}`);
}
