// Several requests beside each other for people: the folded module tree with a column of time per request, the ratio of the largest to the smallest, and what
// grows with the input.
import { profileTypes, type ProfileTypeName } from "#schema/frame-kinds.ts";
import { printable } from "../printable.ts";
import { countText, durationText, quantityText } from "../quantity.ts";
import { table } from "../table.ts";
import { growthText, type MergedRequests } from "./merge-requests.ts";
import { requestRows } from "./request-rows.ts";

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
  const lines = requestRows(merged).flatMap(({ rows, depth, ownCopies, label: name, values, ratio, growth }) => {
    if (values.every((value, column) => (value ?? 0) < underShare * requests[column]!.value)) {
      hidden += rows.length;
      return [];
    }
    const copies = ownCopies > 1 ? ` ×${countText(ownCopies)}` : "";
    return [[...values.map((value) => (value === null ? "not called" : quantityText(value, unit))), ratio === null ? "" : `${ratio.toFixed(ratio < 10 ? 2 : 0)}×`, growth === null ? "" : growth.toFixed(2), `${"  ".repeat(depth)}${printable(`${name}${copies}`)}`, growthText(growth)]];
  });
  const modulesTable = table([...heads, "ratio", "growth", "module", ""], lines, requests.map((_, i) => i).concat(requests.length, requests.length + 1));
  const rest = hidden === 0 ? "" : `\n${countText(hidden)} modules under ${100 * underShare} % of every request are not shown; --json has them.`;
  return `${requestsTable}\n\nModules: ${label} in each request; growth is the exponent with which the longest call grows with the input (0 the same, 1 in proportion, 2 squared)\n${modulesTable}${rest}\n`;
}
