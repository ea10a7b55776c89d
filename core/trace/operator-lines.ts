// The operators of a record that took longest on the host, as lines for people; those of all layers with one name are one.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { printable } from "../printable.ts";
import { countText, durationText } from "../quantity.ts";
import { table } from "../table.ts";
import { operatorSums } from "./operator-sums.ts";

// `within`: rows of modules to take operators of; all and those outside any where it is not given.
export function operatorLines(record: ExecutionRecord, top: number, within?: ReadonlySet<number>): string[] {
  const { texts, operationsLeftOut } = record;
  const sums = operatorSums(record, within);
  if (sums.length === 0) return [];
  const longest = sums.slice(0, top);
  const cells = longest.map(({ op, calls, cpuNs }) => [durationText(cpuNs), `×${countText(calls)}`, printable(texts[op]!)]);
  const shown = longest.length < sums.length ? `the ${countText(longest.length)} longest of ${countText(sums.length)}` : countText(sums.length);
  const left = operationsLeftOut > 0 ? `; ${countText(operationsLeftOut)} short ones have no room in the record` : "";
  return [`Operators, on the host, with what they call: ${shown}${left}`, ...table(["", "", ""], cells, [0, 1]).split("\n").slice(1).map((line) => `  ${line}`)];
}
