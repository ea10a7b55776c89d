// The operators of a record on the host, with what they call; those of all modules asked for with one name are one. The longest first.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";

export type OperatorSum = { op: number; calls: number; cpuNs: number }; // op: a text

// `within`: rows of modules to take operators of; all and those outside any where it is not given.
export function operatorSums({ operations }: ExecutionRecord, within?: ReadonlySet<number>): OperatorSum[] {
  const sums = new Map<number, OperatorSum>();
  for (const [row, op] of operations.op.entries()) {
    if (within !== undefined && !within.has(operations.module[row]!)) continue;
    const { calls, cpuNs } = sums.get(op) ?? { calls: 0, cpuNs: 0 };
    sums.set(op, { op, calls: calls + operations.calls[row]!, cpuNs: cpuNs + operations.cpuNs[row]! });
  }
  return [...sums.values()].sort((a, b) => b.cpuNs - a.cpuNs);
}
