// Whether the URL names a second selection, A, to compare with.
import type { FlamegraphSearch } from "../../app/url-state.ts";

export function isComparing({ compare, compareFrom, compareTo, compareFilter }: FlamegraphSearch): boolean {
  return [compare, compareFrom, compareTo, compareFilter].some((one) => one !== undefined);
}

// A's filter where A has none and B has one: a value that is absent, or empty, would be B's.
export const noFilter = " ";

export const notComparing = { compare: undefined, compareFrom: undefined, compareTo: undefined, compareFilter: undefined, basis: undefined, changes: undefined, focus: undefined } as const;
