// The kernels of a record that took longest, each with what it was launched with: two lines for people. Equal launches of all layers are one kernel here.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { printable } from "../printable.ts";
import { countText, plural, quantityText, shareText } from "../quantity.ts";
import { table } from "../table.ts";
import { dtypeNames, type KernelSum, kernelSums } from "./kernel-sums.ts";

const nameMax = 100; // characters; template arguments go on for kilobytes
const dimsMax = 80;

// `within`: rows of modules to take kernels of; all and those outside any where it is not given. `pathOf` names a module's row.
export function kernelLines(record: ExecutionRecord, top: number, pathOf: (row: number) => string, within?: ReadonlySet<number>): string[] {
  const { kernels, texts, totals, profileType, kernelsLeftOut } = record;
  const uses = kernelSums(record, within);
  if (uses.length === 0) return [];
  const { unit } = profileTypes[profileType];
  const longest = uses.slice(0, top);
  const cells = longest.map(({ row, count, value }) => [quantityText(value, unit), shareText(totals.value === 0 ? 0 : value / totals.value), `×${countText(count)}`, printable(texts[kernels.category[row]!]!), printable(cut(texts[kernels.kernel[row]!]!.replace(/^void /, ""), nameMax))]);
  const [, ...lines] = table(["", "", "", "", ""], cells, [0, 1, 2]).split("\n");
  const indent = " ".repeat(4);
  return [
    `Kernels: ${longest.length === uses.length ? countText(uses.length) : `the ${countText(longest.length)} longest of ${countText(uses.length)}`}${kernelsLeftOut > 0 ? `; ${countText(kernelsLeftOut)} short ones have no room in the record` : ""}`,
    ...longest.flatMap((use, i) => [`  ${lines[i]!}`, `  ${indent}${printable(launchText(record, use, pathOf))}`]),
  ];
}

function launchText({ kernels, texts, kernelMetrics }: ExecutionRecord, { row, byModule }: KernelSum, pathOf: (row: number) => string): string {
  const paths = new Map<string, number>();
  for (const [module, value] of byModule) paths.set(pathOf(module), (paths.get(pathOf(module)) ?? 0) + value);
  const [most, ...others] = [...paths].sort((a, b) => b[1] - a[1]).map(([path]) => path);
  const said = (column: "op" | "grid" | "block" | "dims", word: string): string[] => {
    const text = compact(texts[kernels[column][row]!]!);
    return text === "" ? [] : [`${word}${cut(text, dimsMax)}`];
  };
  const types = dtypeNames(texts[kernels.dtypes[row]!]!);
  const fused = texts[kernels.fused[row]!]!;
  return [
    ...said("op", ""), ...(fused === "" ? [] : [`fuses ${cut(fused, dimsMax)}`]), ...metricsText(kernelMetrics[kernels.metrics[row]!]), ...said("grid", "grid "), ...said("block", "block "), ...said("dims", "inputs "), ...(types.length > 0 ? [cut(types.join(", "), dimsMax)] : []),
    `in ${most}${others.length > 0 ? ` and ${plural(others.length, "other module", "other modules")}` : ""}`,
  ].join(" · ");
}

function metricsText(metrics: ExecutionRecord["kernelMetrics"][number] | undefined): string[] {
  if (metrics === undefined) return [];
  const { memoryPercent, computePercent, bottleneck } = metrics;
  const percent = (value: number | null, what: string): string[] => (value === null ? [] : [`${what} ${value.toFixed(1)} %`]);
  return [[...percent(memoryPercent, "memory"), ...percent(computePercent, "compute")].join(", ") + (bottleneck === null ? "" : `: ${bottleneck.kind}`)];
}

function compact(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
