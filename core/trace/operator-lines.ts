// The operators of a record that took longest on the host, as lines for people; those of all layers with one name are one.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { printable } from "../printable.ts";
import { countText, durationText } from "../quantity.ts";
import { table } from "../table.ts";

// `within`: rows of modules to take operators of; all and those outside any where it is not given.
export function operatorLines({ operations, texts, operationsLeftOut }: ExecutionRecord, top: number, within?: ReadonlySet<number>): string[] {
  const sums = new Map<number, { calls: number; cpuNs: number }>();
  for (const [row, op] of operations.op.entries()) {
    if (within !== undefined && !within.has(operations.module[row]!)) continue;
    const { calls, cpuNs } = sums.get(op) ?? { calls: 0, cpuNs: 0 };
    sums.set(op, { calls: calls + operations.calls[row]!, cpuNs: cpuNs + operations.cpuNs[row]! });
  }
  if (sums.size === 0) return [];
  const longest = [...sums].sort((a, b) => b[1].cpuNs - a[1].cpuNs).slice(0, top);
  const cells = longest.map(([op, { calls, cpuNs }]) => [durationText(cpuNs), `×${countText(calls)}`, printable(texts[op]!)]);
  const shown = longest.length < sums.size ? `the ${countText(longest.length)} longest of ${countText(sums.size)}` : countText(sums.size);
  const left = operationsLeftOut > 0 ? `; ${countText(operationsLeftOut)} short ones have no room in the record` : "";
  return [`Operators, on the host, with what they call: ${shown}${left}`, ...table(["", "", ""], cells, [0, 1]).split("\n").slice(1).map((line) => `  ${line}`)];
}
