// 64-bit sums of the store → numbers of an answer, in the unit that the whole of it is stated in.
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { type ProfileTypeName, profileTypes } from "#schema/frame-kinds.ts";

export type Measure = {
  readonly unit: Flamegraph["unit"];
  readonly total: number; // of the selection
  readonly of: (value: bigint | string) => number;
  readonly share: (value: bigint | string) => number; // of the selection, 0…1; 0 when there is nothing
};

// A JSON number is exact below 2^53: 104 days of one GPU in ns. A thousand GPUs pass that in three hours.
export function measureOf(whole: bigint | string, profileType: ProfileTypeName): Measure {
  const total = BigInt(whole);
  const unit = profileTypes[profileType].unit === "count" ? "count" : total < 2n ** 53n ? "ns" : "us";
  const of = (value: bigint | string) => (unit === "us" ? Number((BigInt(value) + 500n) / 1000n) : Number(value));
  return { unit, total: of(total), of, share: (value) => (total > 0n ? Number(value) / Number(total) : 0) };
}
