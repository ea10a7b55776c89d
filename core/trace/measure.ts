// Which of a sampled profile's value types is imported, and as what. Time is CPU time where the type's name says so, else wall-clock time; counts are samples.
// Bytes, objects, contentions and goroutines are no time: a file that has nothing else is refused with what it has.
import { err, ok, type Result } from "#core/result.ts";

export type ValueType = { name: string; unit: string }; // as the file writes them, e.g. cpu, nanoseconds

export type Measure = {
  column: number; // index into the file's value types
  profileType: "cpu" | "wall" | "samples";
  nsPerUnit: number; // 1 for counts
  shown: string; // "cpu (nanoseconds)"
};

const nsOfUnit: Record<string, number> = {
  nanoseconds: 1, nanosecond: 1, ns: 1, microseconds: 1e3, microsecond: 1e3, us: 1e3, "µs": 1e3, milliseconds: 1e6, millisecond: 1e6, ms: 1e6, seconds: 1e9, second: 1e9, s: 1e9,
};

export const shownType = ({ name, unit }: ValueType): string => (unit === "" ? name : `${name} (${unit})`);

// `asked` is the user's choice by name; `preferred` the file's own default. Without either: the last time, else the last count of samples.
export function chooseMeasure(types: readonly ValueType[], { asked, preferred }: { asked?: string | undefined; preferred?: string }): Result<Measure, string> {
  const all = types.map(shownType).join(", ") || "no value type at all";
  const measures = types.map(measureOf);
  if (asked !== undefined) {
    const column = types.findLastIndex((type) => type.name === asked);
    if (column < 0) return err(`it has no sample type "${asked}"; it has ${all}`);
    return measures[column] === undefined ? err(`its sample type ${shownType(types[column]!)} is neither time nor a count of samples; it has ${all}`) : ok(measures[column]);
  }
  const chosen =
    measures.find((measure) => measure !== undefined && types[measure.column]!.name === preferred) ??
    measures.findLast((measure) => measure !== undefined && measure.profileType !== "samples") ??
    measures.findLast((measure) => measure !== undefined);
  return chosen === undefined ? err(`it measures ${all}: ${kindOf(types)}. Lamella imports time and counts of samples`) : ok(chosen);
}

// Column of the file's own count of samples; -1 = each record is one.
export function countColumn(types: readonly ValueType[]): number {
  return types.findIndex((type) => measureOf(type, 0)?.profileType === "samples");
}

function measureOf(type: ValueType, column: number): Measure | undefined {
  const name = type.name.toLowerCase();
  const nsPerUnit = nsOfUnit[type.unit.toLowerCase()];
  if (nsPerUnit !== undefined) return { column, profileType: name.includes("cpu") && !/off|wait|idle/.test(name) ? "cpu" : "wall", nsPerUnit, shown: shownType(type) };
  return type.unit.toLowerCase() === "count" && /^(cpu|samples?|events?)$/.test(name) ? { column, profileType: "samples", nsPerUnit: 1, shown: shownType(type) } : undefined;
}

function kindOf(types: readonly ValueType[]): string {
  if (types.some(({ name, unit }) => unit === "bytes" || /alloc|inuse|space|objects|heap/.test(name))) return "a memory profile";
  return types.some(({ name }) => /goroutine|thread/.test(name)) ? "a snapshot of threads" : "no profile of time";
}
