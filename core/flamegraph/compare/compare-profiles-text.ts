// A comparison of two selections for people: the whole, kernel categories, modules, kernels; clear differences first, each with its 95 % interval.
import type { FlamegraphComparison, ProfileDifference } from "#schema/api/flamegraph-comparison.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { escapeMarkdown } from "../../markdown.ts";
import { printable, shortened } from "../../printable.ts";
import { countText } from "../../quantity.ts";
import { basisFigure, basisWords, changeOf, intervalText, sideLine } from "./change-text.ts";
import { type Cell, type Section, sectionText } from "../../sections.ts";

export type CompareProfilesOptions = { readonly top: number; readonly markdown?: boolean };

const nameLengthMax = 80; // shown of a kernel's name, so that the figures stay beside it

export function compareProfilesText(comparison: FlamegraphComparison, { top, markdown = false }: CompareProfilesOptions): string {
  const { a, b, basis, profileType } = comparison;
  const lines = [
    `${profileTypes[profileType].label}, ${basisWords[basis]}`,
    sideLine("A", a, comparison), sideLine("B", b, comparison),
    ...(a.intervals < 2 || b.intervals < 2 ? ["A side has fewer than two intervals: there is no spread to tell a difference from noise"] : []),
    ...comparison.notes,
  ];
  const sections = sectionsOf(comparison, top).filter(({ rows }) => rows.length > 0);
  const head = markdown ? lines.map((line) => `- ${escapeMarkdown(line)}`) : lines.map(printable);
  return `${[...head, ...sections.map((section) => sectionText(section, markdown))].join("\n")}\n`;
}

function sectionsOf(comparison: FlamegraphComparison, top: number): Section[] {
  const { modules, categories, kernels, left, overall, basis } = comparison;
  const head = ["A", "B", "change", "95 % interval", "", "launches A", "launches B"];
  const cells = (row: ProfileDifference): Cell[] => [basisFigure(row.perBasis.a, comparison), basisFigure(row.perBasis.b, comparison), changeOf(row), intervalText(row), row.clear ? "clear" : "", countText(row.a.count), countText(row.b.count)];
  const after = (shown: number, all: number) => (all > shown ? { after: `and ${countText(all - shown)} more` } : {});
  const named = <Row extends ProfileDifference>(title: string, first: string, rows: readonly Row[], name: (row: Row) => Cell[], columns: readonly string[], cut: number): Section => ({
    title, head: [first, ...columns, ...head], left: [0, ...columns.map((_, at) => at + 1), columns.length + 5], rows: rows.slice(0, top).map((row) => [...name(row), ...cells(row)]), ...after(Math.min(top, rows.length), rows.length + cut),
  });
  return [
    ...(basis === "share" ? [] : [named("Whole", "selection", [overall], () => ["all"], [], 0)]),
    named("Kernel categories", "category", categories, ({ name }) => [{ name }], [], 0),
    named("Modules", "module", modules, ({ path, classes }) => [{ name: path === "" ? "(the model)" : path }, { name: classes.join(", ") }], ["class"], left.modules),
    named("Kernels", "kernel", kernels, ({ name }) => [{ name: shortened(name, nameLengthMax) }], [], left.kernels),
  ];
}
