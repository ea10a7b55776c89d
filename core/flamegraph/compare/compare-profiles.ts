// Sums of two selections by key and interval → rows that say by how much they differ, those that differ most first.
// An interval in which a whole selection had nothing has no share and no launches to divide by: it says nothing, and is left out. By time it counts, as nothing.
// By tokens the intervals are the spans of token-basis.ts, and what lies in none is left out.
import type { ComparisonBasis, ProfileDifference } from "#schema/api/flamegraph-comparison.ts";
import { type Side, difference } from "./difference.ts";
import type { TokenBasis } from "./token-basis.ts";

// Value and count of one key of one side, by interval; intervals that are absent have none.
export type Series = { readonly intervals: readonly number[]; readonly values: readonly string[]; readonly counts: readonly string[] };

// A side as a whole: `seconds` holds every interval of the selection with its length (1 for a step), also those with nothing in them.
export type SideTotals = { readonly seconds: ReadonlyMap<number, number>; readonly tokens: TokenBasis; readonly values: ReadonlyMap<number, number>; readonly value: number; readonly count: number };

// Values are in ns (or counts), of which `perUnit` are one of the answer's unit.
export class ProfileComparer {
  readonly #basis: ComparisonBasis;
  readonly #a: SideTotals;
  readonly #b: SideTotals;
  readonly #perUnit: number;

  constructor(basis: ComparisonBasis, a: SideTotals, b: SideTotals, perUnit: number) {
    [this.#basis, this.#a, this.#b, this.#perUnit] = [basis, a, b, perUnit];
  }

  // Null stands for a key that a side does not have.
  row(a: Series | null, b: Series | null): ProfileDifference {
    const found = difference(this.#side(a, this.#a), this.#side(b, this.#b));
    return {
      a: this.#amount(a), b: this.#amount(b), perBasis: { a: this.#scaled(found.a), b: this.#scaled(found.b) },
      relative: found.relative, interval: found.interval === null ? null : [found.interval[0], found.interval[1]], clear: found.clear,
    };
  }

  // Rows of keys of either side. `most` are kept: those that differ most, first by what is clear, then by how much of the whole the difference is.
  rows<Key>(keys: readonly { readonly key: Key; readonly a: Series | null; readonly b: Series | null }[], most: number): { rows: (ProfileDifference & { key: Key })[]; left: number } {
    const rows = keys.map(({ key, a, b }) => ({ ...this.row(a, b), key }));
    const weight = ({ a, b }: ProfileDifference) => Math.abs(b.value / Math.max(1, this.#b.value / this.#perUnit) - a.value / Math.max(1, this.#a.value / this.#perUnit));
    rows.sort((one, other) => Number(other.clear) - Number(one.clear) || weight(other) - weight(one));
    return { rows: rows.slice(0, most), left: Math.max(0, rows.length - most) };
  }

  #scaled(ratio: number | null): number | null {
    return ratio === null || this.#basis === "share" ? ratio : ratio / this.#perUnit;
  }

  #amount(series: Series | null) {
    return { value: sum(series?.values ?? []) / this.#perUnit, count: sum(series?.counts ?? []) };
  }

  #side(series: Series | null, whole: SideTotals): Side {
    const values = byInterval(series?.intervals, series?.values, this.#basis === "token" ? whole.tokens.spanOf : null);
    const bases = { share: whole.values, launch: byInterval(series?.intervals, series?.counts), time: whole.seconds, token: whole.tokens.bySpan }[this.#basis];
    const told = [...bases].filter(([, base]) => base > 0);
    return { values: told.map(([interval]) => values.get(interval) ?? 0), bases: told.map(([, base]) => base) };
  }
}

// With spans: by the span that an interval is of.
function byInterval(intervals: readonly number[] = [], amounts: readonly string[] = [], spanOf: ReadonlyMap<number, number> | null = null): Map<number, number> {
  const found = new Map<number, number>();
  intervals.forEach((interval, at) => {
    const key = spanOf === null ? interval : spanOf.get(interval);
    if (key !== undefined) found.set(key, (found.get(key) ?? 0) + Number(amounts[at]));
  });
  return found;
}

function sum(values: readonly string[]): number {
  return Number(values.reduce((total, value) => total + BigInt(value), 0n));
}

// Series of equal keys made one: kernels of one category.
export function joined(series: readonly Series[]): Series {
  const sums = new Map<number, [bigint, bigint]>();
  for (const { intervals, values, counts } of series) {
    intervals.forEach((interval, at) => {
      const before = sums.get(interval) ?? [0n, 0n];
      sums.set(interval, [before[0] + BigInt(values[at] as string), before[1] + BigInt(counts[at] as string)]);
    });
  }
  const entries = [...sums];
  return { intervals: entries.map(([interval]) => interval), values: entries.map(([, [value]]) => String(value)), counts: entries.map(([, [, count]]) => String(count)) };
}

// Keys of both sides; a key that recurs on a side is one.
export function paired<Row extends Series, Key>(a: readonly Row[], b: readonly Row[], keyOf: (row: Row) => Key): { key: Key; a: Series | null; b: Series | null }[] {
  const [inA, inB] = [a, b].map((rows) => {
    const groups = new Map<Key, Row[]>();
    for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
    return groups;
  }) as [Map<Key, Row[]>, Map<Key, Row[]>];
  const of = (groups: Map<Key, Row[]>, key: Key): Series | null => {
    const rows = groups.get(key);
    return rows === undefined ? null : rows.length === 1 ? rows[0]! : joined(rows);
  };
  return [...new Set([...inA.keys(), ...inB.keys()])].map((key) => ({ key, a: of(inA, key), b: of(inB, key) }));
}

// Intervals of a range, of `seconds` each (counted from 1970 on), with how much of each lies in it.
export function intervalsOf({ fromS, toS }: { fromS: number; toS: number }, seconds: number): Map<number, number> {
  const intervals = new Map<number, number>();
  for (let at = Math.floor(fromS / seconds); at * seconds < toS; at++) intervals.set(at, Math.min(toS, (at + 1) * seconds) - Math.max(fromS, at * seconds));
  return intervals;
}

// As long as makes at most `most` of the range: whole minutes below an hour, then hours.
export function intervalSeconds({ fromS, toS }: { fromS: number; toS: number }, most: number): number {
  const least = (toS - fromS) / most;
  const minutes = [60, 120, 300, 600, 900, 1_200, 1_800].find((seconds) => seconds >= least);
  return minutes ?? Math.ceil(least / 3_600) * 3_600;
}
