// A comparison of two executions for people, as text or as Markdown for a pull request: what both are, totals, phases, kernel categories, then modules, copies
// built alike on one line. Names come from files: control characters are shown, in Markdown names are code.
import type { ExecutionComparison } from "#schema/api/execution-comparison.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { escapeMarkdown } from "../markdown.ts";
import { printable } from "../printable.ts";
import { countText, plural, quantityText } from "../quantity.ts";
import { type Cell, type Section, markdownCell, sectionText, textCell } from "../sections.ts";
import { relativeText } from "./change-text.ts";
import { categoryRows, moduleRows, type ModuleRow, phaseRows, totalRows } from "./comparison-rows.ts";

export type CompareTextOptions = {
  readonly names: { readonly a: string; readonly b: string }; // of the executions
  readonly top: number; // modules of each table
  readonly markdown?: boolean;
};

export function compareText(comparison: ExecutionComparison, { names, top, markdown = false }: CompareTextOptions): string {
  const sections = [totalsSection(comparison), phasesSection(comparison), categoriesSection(comparison), ...moduleSections(comparison, top)].filter(({ rows }) => rows.length > 0);
  const head = [sideLine("A", names.a, comparison.a), sideLine("B", names.b, comparison.b)];
  const remarks = [...basisLines(comparison), ...comparison.notes];
  if (markdown) return `${[...head.map((cells) => `- ${cells.map(markdownCell).join(" ")}`), ...(remarks.length > 0 ? ["", ...remarks.map((line) => `> ${escapeMarkdown(line)}`)] : []), ...sections.map((section) => sectionText(section, true))].join("\n")}\n`;
  return `${[...head.map((cells) => cells.map(textCell).join(" ")), ...remarks.map(printable), ...sections.map((section) => sectionText(section, false))].join("\n")}\n`;
}

function sideLine(side: string, name: string, { device, modelName, profileType, value, kernels }: ExecutionComparison["a"]): Cell[] {
  const { unit, label } = profileTypes[profileType];
  const work = profileType === "cuda" ? plural(kernels, "kernel", "kernels") : profileType === "cpu_op" ? plural(kernels, "operator call", "operator calls") : plural(kernels, "sample", "samples");
  return [`${side} `, { name }, "·", ...(modelName === "" ? [] : [{ name: modelName }, "·"]), { name: device }, `· ${quantityText(value, unit)} ${label} in ${work}`];
}

function basisLines({ basis, a, b }: ExecutionComparison): string[] {
  if (basis === "total" || a.root === null || b.root === null) return [];
  return [`${a.root.class} was called ${countText(a.root.calls)} × in A and ${countText(b.root.calls)} × in B: times are per call of it, but for those of phases.`];
}

function totalsSection(comparison: ExecutionComparison): Section {
  const { value, signed } = scale(comparison);
  const rows = totalRows(comparison).map(({ name, a, b, difference, relative }): Cell[] => [name, value(a), value(b), ...changeCells(difference, relative, signed)]);
  return { title: comparison.basis === "total" ? "Totals" : "Per call of the root", head: ["", "A", "B", "B − A", ""], rows };
}

function phasesSection(comparison: ExecutionComparison): Section {
  const { value, signed } = scale(comparison);
  const { onGpu, rows: phases } = phaseRows(comparison);
  const rows = phases.map(({ name, a, b, difference, relative, stepsA, stepsB, tokenA, tokenB }): Cell[] => [name, countText(stepsA), countText(stepsB), value(a), value(b), ...changeCells(difference, relative, signed), value(tokenA), value(tokenB)]);
  const tokens = phases.some(({ tokenA, tokenB }) => (tokenA ?? tokenB) !== null);
  const head = ["phase", "steps A", "steps B", "per step A", "per step B", "B − A", "", "per token A", "per token B"];
  return { title: onGpu ? "Phases" : "Phases, time on the host", head: tokens ? head : head.slice(0, 7), rows: rows.map((row) => (tokens ? row : row.slice(0, 7))) };
}

function categoriesSection(comparison: ExecutionComparison): Section {
  const { value, signed } = scale(comparison);
  const rows = categoryRows(comparison).map(({ name, a, b, difference, relative, kernelsA, kernelsB }): Cell[] => [{ name }, value(a), value(b), ...changeCells(difference, relative, signed), countText(kernelsA), countText(kernelsB)]);
  return { title: "By what the kernels do", head: ["category", "A", "B", "B − A", "", "kernels A", "kernels B"], rows };
}

function moduleSections(comparison: ExecutionComparison, top: number): Section[] {
  const { modules, modulesTotal } = comparison;
  const all = moduleRows(comparison);
  const { value, signed } = scale(comparison);
  const cut = modules.length < modulesTotal ? `; ${countText(modulesTotal - modules.length)} that differ least were not asked for` : "";
  const section = (title: string, side: ModuleRow["in"], head: readonly string[], left: readonly number[], cells: (row: ModuleRow) => Cell[]): Section => {
    const rows = all.filter((one) => one.in === side);
    const rest = rows.length > top ? `and ${plural(rows.length - top, "more line", "more lines")}${cut}` : cut === "" ? undefined : cut.slice(2);
    return { title, head, left, rows: rows.slice(0, top).map(cells), ...(rest === undefined ? {} : { after: rest }) };
  };
  const call = (ns: number | null): string => (ns === null ? "" : quantityText(ns, "ns"));
  return [
    section("Modules of both, those that differ most first", "both", ["A", "B", "B − A", "", "its own", "a call A", "a call B", "module"], [7], (row) => [value(row.a), value(row.b), ...changeCells(row.difference, row.relative, signed), signed(row.own), call(row.callA), call(row.callB), labelOf(row)]),
    section("Only in A", "a", ["A", "class", "module"], [1, 2], (row) => [value(row.a), { name: row.class }, labelOf(row)]),
    section("Only in B", "b", ["B", "class", "module"], [1, 2], (row) => [value(row.b), { name: row.class }, labelOf(row)]),
  ];
}

function labelOf({ name, copies }: ModuleRow): Cell {
  return { name: copies === 1 ? name : `${name} ×${countText(copies)}` };
}

// Figures in the unit of the comparison, and differences with their sign.
function scale({ a }: ExecutionComparison): { value(value: number | null): string; signed(value: number): string } {
  const { unit } = profileTypes[a.profileType];
  return {
    value: (value) => (value === null ? "—" : quantityText(Math.round(value), unit)),
    signed: (value) => (Math.round(value) === 0 ? "0" : `${value > 0 ? "+" : "−"}${quantityText(Math.abs(Math.round(value)), unit)}`),
  };
}

function changeCells(difference: number | null, relative: number | null, signed: (value: number) => string): [string, string] {
  return difference === null ? ["", ""] : [signed(difference), relativeText(relative, difference)];
}
