// The dtypes of the weights below each row, in the order of dtype.ts, with "unsized" for all without a known size. One bit a dtype, so that a table of
// 200,000 rows costs one number a row whatever it holds.
import type { ModuleRow } from "#schema/api/models.ts";
import { dtypeNames } from "./dtype.ts";

const unsizedBit = 1n << BigInt(dtypeNames.length);
const bitOf = new Map<string, bigint>(dtypeNames.map((name, i) => [name, 1n << BigInt(i)]));
const listed = [...bitOf, ["unsized", unsizedBit] as const];

// Buffers are no weights.
export function weightDtypes(modules: readonly ModuleRow[]): string[][] {
  const bits: bigint[] = [];
  for (const { tensors, children } of modules) {
    let all = 0n;
    for (const { role, dtype } of tensors) if (role !== "buffer") all |= bitOf.get(dtype) ?? unsizedBit;
    for (const { module } of children) all |= bits[module]!;
    bits.push(all);
  }
  const namesOf = new Map<bigint, string[]>();
  return bits.map((all) => {
    let names = namesOf.get(all);
    if (names === undefined) namesOf.set(all, (names = listed.filter(([, bit]) => (all & bit) !== 0n).map(([name]) => name)));
    return names;
  });
}
