// A comparison of two executions for people, as text or as Markdown for a pull request: what both are, totals, phases, kernel categories, then modules, copies
// built alike on one line. Names come from files: control characters are shown, in Markdown names are code.
import type { ComparedPhase, ExecutionComparison } from "#schema/api/execution-comparison.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { escapeMarkdown } from "../markdown.ts";
import { printable } from "../printable.ts";
import { countText, plural, quantityText } from "../quantity.ts";
import { type Cell, type Section, markdownCell, sectionText, textCell } from "../sections.ts";
import { median } from "./call-statistics.ts";
import { relativeText } from "./change-text.ts";
import { rangeLabel } from "./module-statistics.ts";

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

function totalsSection({ a, b, basis, difference, relative }: ExecutionComparison): Section {
  const [ofA, ofB, signed] = scales(a, b, basis);
  const row = (what: string, inA: number, inB: number): Cell[] => [what, ofA(inA), ofB(inB), ...changeCells(ofB.raw(inB) - ofA.raw(inA), inA === 0 ? null : ofB.raw(inB) / ofA.raw(inA) - 1, signed)];
  const rows: Cell[][] = [[profileTypes[a.profileType].label, ofA(a.value), ofB(b.value), ...changeCells(difference, relative, signed)]];
  if (a.moduleValue + b.moduleValue > 0) rows.push(row("inside modules", a.moduleValue, b.moduleValue));
  if (a.busyNs + b.busyNs > 0) rows.push(row("GPU busy", a.busyNs, b.busyNs));
  rows.push(row("recording", a.durationNs, b.durationNs));
  if (a.valuePerToken !== null && b.valuePerToken !== null) {
    const unit = profileTypes[a.profileType].unit;
    rows.push(["per token", quantityText(a.valuePerToken, unit), quantityText(b.valuePerToken, unit), ...changeCells(b.valuePerToken - a.valuePerToken, b.valuePerToken / a.valuePerToken - 1, signed)]);
  }
  return { title: basis === "total" ? "Totals" : "Per call of the root", head: ["", "A", "B", "B − A", ""], rows };
}

function phasesSection({ a, b, phases }: ExecutionComparison): Section {
  const { unit } = profileTypes[a.profileType];
  const [, , signed] = scales(a, b, "total");
  const onGpu = phases.some(({ a: inA, b: inB }) => (inA?.value ?? 0) + (inB?.value ?? 0) > 0);
  const perStep = (phase: ComparedPhase | null): number | null => (phase === null ? null : onGpu ? phase.valuePerStep : phase.durationPerStepNs);
  const text = (value: number | null): string => (value === null ? "—" : quantityText(value, unit));
  const rows = phases.map(({ phase, a: inA, b: inB }): Cell[] => {
    const [ofA, ofB] = [perStep(inA), perStep(inB)];
    const change = ofA === null || ofB === null ? ["", ""] : changeCells(ofB - ofA, ofA === 0 ? null : ofB / ofA - 1, signed);
    return [phase || "step", countText(inA?.steps ?? 0), countText(inB?.steps ?? 0), text(ofA), text(ofB), ...change, text(inA?.valuePerToken ?? null), text(inB?.valuePerToken ?? null)];
  });
  const tokens = phases.some(({ a: inA, b: inB }) => (inA?.valuePerToken ?? inB?.valuePerToken ?? null) !== null);
  const head = ["phase", "steps A", "steps B", "per step A", "per step B", "B − A", "", "per token A", "per token B"];
  return { title: onGpu ? "Phases" : "Phases, time on the host", head: tokens ? head : head.slice(0, 7), rows: rows.map((row) => (tokens ? row : row.slice(0, 7))) };
}

function categoriesSection({ a, b, basis, categories }: ExecutionComparison): Section {
  const [ofA, ofB, signed] = scales(a, b, basis);
  const rows = categories.map(({ category, a: inA, b: inB, difference, relative }): Cell[] => [
    { name: category }, ofA(inA.value), ofB(inB.value), ...changeCells(difference, relative, signed), countText(inA.kernels), countText(inB.kernels),
  ]);
  return { title: "By what the kernels do", head: ["category", "A", "B", "B − A", "", "kernels A", "kernels B"], rows };
}

type Group = { readonly paths: string[]; readonly members: ExecutionComparison["modules"] };

function moduleSections(comparison: ExecutionComparison, top: number): Section[] {
  const { modules, modulesTotal } = comparison;
  const groups = { both: new Map<number, Group>(), a: new Map<number, Group>(), b: new Map<number, Group>() };
  for (const module of modules) {
    const some = groups[module.b === null ? "a" : module.a === null ? "b" : "both"];
    const group = some.get(module.fold) ?? { paths: [], members: [] };
    group.paths.push(module.path);
    group.members.push(module);
    some.set(module.fold, group);
  }
  const cut = modules.length < modulesTotal ? `; ${countText(modulesTotal - modules.length)} that differ least were not asked for` : "";
  const section = (title: string, all: Iterable<Group>, head: readonly string[], left: readonly number[], cells: (group: Group) => Cell[]): Section => {
    const sorted = [...all].sort((one, other) => Math.abs(differenceOf(other)) - Math.abs(differenceOf(one)));
    const rest = sorted.length > top ? `and ${plural(sorted.length - top, "more line", "more lines")}${cut}` : cut === "" ? undefined : cut.slice(2);
    return { title, head, left, rows: sorted.slice(0, top).map(cells), ...(rest === undefined ? {} : { after: rest }) };
  };
  const [ofA, ofB, signed] = scales(comparison.a, comparison.b, comparison.basis);
  const both = section("Modules of both, those that differ most first", groups.both.values(), ["A", "B", "B − A", "", "its own", "a call A", "a call B", "module"], [7], (group) => {
    const [inA, inB] = [sum(group, ({ a }) => a!.value), sum(group, ({ b }) => b!.value)];
    const median = [callText(comparison, group, "a"), callText(comparison, group, "b")];
    return [ofA(inA), ofB(inB), ...changeCells(differenceOf(group), inA === 0 ? null : ofB.raw(inB) / ofA.raw(inA) - 1, signed), signed(sum(group, ({ ownDifference }) => ownDifference)), ...median, labelOf(group)];
  });
  const only = (side: "a" | "b", of: typeof ofA) => section(`Only in ${side.toUpperCase()}`, groups[side].values(), [side.toUpperCase(), "class", "module"], [1, 2], (group) => [of(sum(group, (one) => one[side]!.value)), { name: group.members[0]![side]!.class }, labelOf(group)]);
  return [both, only("a", ofA), only("b", ofB)];
}

function callText({ a, b }: ExecutionComparison, { members }: Group, side: "a" | "b"): string {
  const { profileType } = side === "a" ? a : b;
  return quantityText(median(members.map((one) => (profileType === "cuda" ? one[side]!.median : one[side]!.cpuMedian)).sort((one, other) => one - other)), "ns");
}

function labelOf({ paths }: Group): Cell {
  const path = rangeLabel(paths) || "the root";
  return { name: paths.length === 1 ? path : `${path} ×${countText(paths.length)}` };
}

function sum({ members }: Group, of: (member: Group["members"][number]) => number): number {
  return members.reduce((total, member) => total + of(member), 0);
}

const differenceOf = (group: Group): number => sum(group, ({ difference }) => difference);

type Scale = { (value: number): string; raw(value: number): number };

// Values of A and of B on the basis of the comparison, and differences with their sign.
function scales(a: ExecutionComparison["a"], b: ExecutionComparison["b"], basis: ExecutionComparison["basis"]): [Scale, Scale, (value: number) => string] {
  const { unit } = profileTypes[a.profileType];
  const scale = (calls: number): Scale => {
    const raw = (value: number) => value / calls;
    return Object.assign((value: number) => quantityText(Math.round(raw(value)), unit), { raw });
  };
  const signed = (value: number) => (Math.round(value) === 0 ? "0" : `${value > 0 ? "+" : "−"}${quantityText(Math.abs(Math.round(value)), unit)}`);
  return basis === "total" ? [scale(1), scale(1), signed] : [scale(a.root!.calls), scale(b.root!.calls), signed];
}

function changeCells(difference: number, relative: number | null, signed: (value: number) => string): [string, string] {
  return [signed(difference), relativeText(relative, difference)];
}
