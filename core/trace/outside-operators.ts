// What ran in no module, by when: before the model's first call, between its calls, or after the last. What the record does not say is unplaced.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { type OutsidePlace, outsidePlaces } from "./execution.ts";

export type OutsideOperator = { op: string; calls: number; cpuNs: number; value: number; kernels: number };

// The longest first: on the GPU, then on the host.
export function outsideOperators({ operations, kernels, texts }: ExecutionRecord): Map<OutsidePlace | "unplaced", OutsideOperator[]> {
  const places = new Map<OutsidePlace | "unplaced", Map<number, OutsideOperator>>();
  const at = (place: OutsidePlace | "unplaced", op: number): OutsideOperator => {
    const ops = places.get(place) ?? new Map<number, OutsideOperator>();
    const one = ops.get(op) ?? { op: texts[op]!, calls: 0, cpuNs: 0, value: 0, kernels: 0 };
    places.set(place, ops.set(op, one));
    return one;
  };
  for (const [row, module] of operations.module.entries()) {
    if (module >= 0) continue;
    const one = at(placeOf(operations.outside, row), operations.op[row]!);
    one.calls += operations.calls[row]!;
    one.cpuNs += operations.cpuNs[row]!;
  }
  for (const [row, module] of kernels.module.entries()) {
    if (module >= 0) continue;
    const one = at(placeOf(kernels.outside, row), kernels.op[row]!);
    one.value += kernels.value[row]!;
    one.kernels += kernels.count[row]!;
  }
  return new Map([...places].map(([place, ops]) => [place, [...ops.values()].sort((a, b) => b.value - a.value || b.cpuNs - a.cpuNs)]));
}

function placeOf(outside: readonly number[] | undefined, row: number): OutsidePlace | "unplaced" {
  return outsidePlaces[(outside?.[row] ?? 0) - 1] ?? "unplaced";
}
