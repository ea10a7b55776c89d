// One module of a record for people: its times, every copy built like it, what was called in it, its operators and its kernels.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { printable } from "../printable.ts";
import { countText, durationText, plural, quantityText, shareText } from "../quantity.ts";
import { err, ok, type Result } from "../result.ts";
import { table } from "../table.ts";
import { kernelLines } from "./kernel-lines.ts";
import { moduleLines } from "./module-lines.ts";
import { copyLabel, moduleStatistics, type ModuleStatistics } from "./module-statistics.ts";
import { operatorLines } from "./operator-lines.ts";
import { rowsBelow } from "./rows-below.ts";

const copiesShown = 64; // layers of a large model; experts are counted
const childrenShown = 12;

// `wanted`: a path of the record, or its end ("layers.17.mlp") where only one module ends so. The error names what there is instead.
export function moduleText(record: ExecutionRecord, { module: wanted, top }: { readonly module: string; readonly top: number }): Result<string, string> {
  const found = rowOf(record, wanted);
  if (!found.ok) return found;
  const row = found.value;
  const nodes = moduleStatistics(record);
  const at = nodes.findIndex(({ rows }) => rows.includes(row));
  const node = nodes[at]!;
  const below = rowsBelow(record, row);
  const after = nodes.findIndex((other, i) => i > at && other.depth <= node.depth);
  const tree = nodes.slice(at, after < 0 ? undefined : after);
  const path = (one: number): string => (one < 0 ? "no module" : record.texts[record.modules.path[one]!]! || record.texts[record.modules.name[one]!]!);
  const sections = [
    headLines(record, row), node.rows.length > 1 ? copyLines(record, node) : [],
    tree.length > 1 ? [`What is called in ${node.rows.length > 1 ? `it and its copies, ×${countText(node.rows.length)} together` : "it"}`, ...moduleLines(record, tree, 0).map((line) => `  ${line}`)] : [],
    operatorLines(record, top, below), kernelLines(record, top, path, below),
  ];
  return ok(`${sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n")}\n`);
}

function rowOf({ modules, texts }: ExecutionRecord, wanted: string): Result<number, string> {
  const paths = modules.path.map((id) => texts[id]!);
  const exact = paths.indexOf(wanted);
  if (exact >= 0) return ok(exact);
  const ending = paths.flatMap((path, row) => (wanted !== "" && path.endsWith(`.${wanted}`) ? [row] : []));
  if (ending.length === 1) return ok(ending[0]!);
  if (ending.length > 1) return err(`${plural(ending.length, "module ends", "modules end")} in "${wanted}", e.g. ${paths[ending[0]!]!} and ${paths[ending[1]!]!}; write more of the path`);
  if (paths.length === 0) return err("the execution has no modules");
  const steps = wanted.split(".");
  let holder = paths.indexOf(""); // a recorded root
  for (let length = 1; length < steps.length; length++) {
    const next = paths.indexOf(steps.slice(0, length).join("."));
    if (next >= 0) holder = next;
  }
  const names = paths.filter((_, row) => modules.parent[row] === holder);
  const listed = names.length === 0 ? "; nothing is called in it" : `: ${names.slice(0, childrenShown).join(", ")}${names.length > childrenShown ? `, and ${names.length - childrenShown} more` : ""}`;
  return err(`there is no module "${wanted}". ${holder < 0 ? "The outermost are" : `In ${paths[holder] || "the root"} there are`}${listed}`);
}

function headLines({ modules, texts, totals, profileType }: ExecutionRecord, row: number): string[] {
  const { gpu, cpu, calls, value, kernels } = modules;
  const { unit, label } = profileTypes[profileType];
  const children = modules.parent.reduce((sum, parent, child) => sum + (parent === row ? value[child]! : 0), 0);
  const times = ({ min, median, max, slowest }: typeof gpu) => `${[min, median, max].map((column) => durationText(column[row]!)).join(" / ")}${calls[row]! > 1 ? `, the longest was call ${countText(slowest[row]!)}` : ""}`;
  return [
    `${texts[modules.path[row]!] || texts[modules.name[row]!]!}  ${texts[modules.class[row]!]!}`,
    `${quantityText(value[row]!, unit)} ${label} (${shareText(totals.value === 0 ? 0 : value[row]! / totals.value)}), ${quantityText(Math.max(0, value[row]! - children), unit)} its own · ${plural(calls[row]!, "call", "calls")}${profileType === "cuda" ? ` · ${plural(kernels[row]!, "kernel", "kernels")}` : ""}`,
    ...(profileType === "cuda" && gpu.slowest[row]! > 0 ? [`GPU time of a call, min / median / max: ${times(gpu)}`] : []), ...(cpu.slowest[row]! > 0 ? [`on the host, min / median / max: ${times(cpu)}; in total ${durationText(cpu.total[row]!)}`] : []),
  ].map(printable);
}

function copyLines({ modules, texts, profileType }: ExecutionRecord, { rows: all, unlike }: ModuleStatistics): string[] {
  const { unit, label } = profileTypes[profileType];
  const rows = [...all].sort((a, b) => a - b);
  const name = copyLabel(rows.map((row) => texts[modules.path[row]!]!));
  const each = profileType === "cuda" ? modules.gpu : modules.cpu;
  const ratios = new Map(unlike.map(({ row, ratio }) => [row, `← ${ratio.toFixed(2)}×`]));
  const often = rows.some((row) => modules.calls[row]! > 1);
  const ofCalls = (row: number): string[] => (often ? [countText(modules.calls[row]!), durationText(each.median[row]!), durationText(each.max[row]!), countText(each.slowest[row]!)] : []);
  const cells = rows.slice(0, copiesShown).map((row, copy) => [printable(name(copy)), quantityText(modules.value[row]!, unit), ...ofCalls(row), durationText(modules.cpu.total[row]!), ratios.get(row) ?? ""]);
  const rest = rows.length > copiesShown ? [`  and ${countText(rows.length - copiesShown)} more; name one by its path`] : [];
  return [`Copies built alike: ${countText(rows.length)}`, ...table(["copy", label, ...(often ? ["calls", "median", "max", "longest call"] : []), "CPU time", ""], cells, often ? [1, 2, 3, 4, 5, 6] : [1, 2]).split("\n").map((line) => `  ${line}`), ...rest];
}
