// Executions beside each other that do not measure the same, such as GPU time and samples: each has its own unit, and their values have no ratio and no difference.
import { type ProfileTypeName, profileTypes } from "#schema/frame-kinds.ts";
import type { Unit } from "../../parts/number-format.ts";

export type Measures = { readonly units: readonly Unit[]; readonly alike: boolean }; // units: of each execution; alike: its values compare with the others'

export function measuresOf(types: readonly ProfileTypeName[]): Measures {
  return { units: types.map((type) => profileTypes[type].unit), alike: new Set(types).size < 2 };
}

// What a person must know of them; "" where all measure the same.
export function unlikeMeasures(all: readonly { readonly label: string; readonly profileType: ProfileTypeName }[]): string {
  if (measuresOf(all.map(({ profileType }) => profileType)).alike) return "";
  return `${all.map(({ label, profileType }) => `${label} measures ${profileTypes[profileType].label}`).join(", ")}: their values do not compare, calls and structure do`;
}
