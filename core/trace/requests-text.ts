// Several requests beside each other for people: the folded module tree with a column of time per request, the ratio of the largest to the smallest, and what
// grows with the input.
import { profileTypes, type ProfileTypeName } from "#schema/frame-kinds.ts";
import { printable } from "../printable.ts";
import { countText, durationText, quantityText } from "../quantity.ts";
import { table } from "../table.ts";
import { foldModules, type FoldedModule } from "./fold-modules.ts";
import { growthOf, growthText, type MergedRequests, ratioOf } from "./merge-requests.ts";
import { rangeLabel } from "./module-statistics.ts";

const underShare = 0.001; // of every request: modules that take less are counted

export function requestsText(merged: MergedRequests, profileType: ProfileTypeName): string {
  const { requests } = merged;
  const { unit, label } = profileTypes[profileType];
  const heads = requests.map((request, i) => printable(request.label || `request ${i + 1}`));
  const facts = requests.map(({ inputTokens, outputTokens, latencyNs, value, busyNs }) => [
    inputTokens === 0 ? "" : countText(inputTokens), outputTokens === 0 ? "" : countText(outputTokens), latencyNs === 0 ? "" : durationText(latencyNs), quantityText(value, unit), busyNs === 0 ? "" : durationText(busyNs),
  ]);
  const requestsTable = table(["request", "input tokens", "output tokens", "latency of the real one", label, "GPU busy"], facts.map((cells, i) => [heads[i]!, ...cells]), [1, 2, 3, 4, 5]);
  let hidden = 0;
  const lines = foldModules(merged).flatMap((node) => {
    const values = requests.map((_, column) => sumOf(node.rows.map((row) => merged.modules.value[row]![column]!)));
    if (values.every((value, column) => (value ?? 0) < underShare * requests[column]!.value)) {
      hidden += node.rows.length;
      return [];
    }
    const longest = requests.map((_, column) => sumOf(node.rows.map((row) => merged.modules.longest[row]![column]!)));
    const ratio = ratioOf(values);
    const growth = growthOf(requests.map(({ inputTokens }) => inputTokens), longest);
    return [[...values.map((value) => (value === null ? "not called" : quantityText(value, unit))), ratio === null ? "" : `${ratio.toFixed(ratio < 10 ? 2 : 0)}×`, growth === null ? "" : growth.toFixed(2), `${"  ".repeat(node.depth)}${nameOf(merged, node)}`, growthText(growth)]];
  });
  const modulesTable = table([...heads, "ratio", "growth", "module", ""], lines, requests.map((_, i) => i).concat(requests.length, requests.length + 1));
  const rest = hidden === 0 ? "" : `\n${countText(hidden)} modules under ${100 * underShare} % of every request are not shown; --json has them.`;
  return `${requestsTable}\n\nModules: ${label} in each request; growth is the exponent with which the longest call grows with the input (0 the same, 1 in proportion, 2 squared)\n${modulesTable}${rest}\n`;
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function nameOf({ modules, texts }: MergedRequests, { rows, ownCopies }: FoldedModule): string {
  const own = rows.filter((_, i) => i % (rows.length / ownCopies) === 0);
  return printable(`${rangeLabel(own.map((row) => texts[modules.name[row]!]!))}${ownCopies > 1 ? ` ×${countText(ownCopies)}` : ""}`);
}
