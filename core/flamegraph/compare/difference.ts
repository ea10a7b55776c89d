// Two selections, one figure: how much it is on each side, by how much it differs, and whether that is more than it differs from interval to interval by itself.
// A figure is a ratio Σ value / Σ basis over intervals (a minute, an hour, a step): time per second, per launch, per token, or of the selection's time. Its standard
// error is that of a ratio estimator with intervals as clusters, √(n/(n−1) · Σ(vᵢ − r·bᵢ)²) / Σbᵢ; the difference of two has a 95 % interval by Welch.

// One side of a figure. `values` and `bases` are by interval; an interval in which nothing ran has a value of 0 and counts with its basis.
export type Side = { readonly values: readonly number[]; readonly bases: readonly number[] };

export type Difference = {
  readonly a: number | null; // the ratio; null: nothing to divide by
  readonly b: number | null;
  readonly relative: number | null; // (b − a) / a; null: nothing in a
  readonly interval: readonly [number, number] | null; // 95 % of b − a, relative to a; null: fewer than two intervals on a side
  readonly clear: boolean; // the interval does not hold 0
};

type Estimate = { readonly ratio: number; readonly variance: number; readonly freedom: number };

export function difference(a: Side, b: Side): Difference {
  const [ofA, ofB] = [estimate(a), estimate(b)];
  if (ofA === null || ofB === null) return { a: ofA?.ratio ?? null, b: ofB?.ratio ?? null, relative: null, interval: null, clear: false };
  const change = ofB.ratio - ofA.ratio;
  const relative = ofA.ratio === 0 ? null : change / ofA.ratio;
  const figures = { a: ofA.ratio, b: ofB.ratio, relative };
  if (relative === null || ofA.freedom < 1 || ofB.freedom < 1) return { ...figures, interval: null, clear: false };
  const variance = ofA.variance + ofB.variance;
  const margin = variance === 0 ? 0 : studentQuantile(freedomOf(ofA, ofB, variance)) * Math.sqrt(variance);
  const interval = [(change - margin) / ofA.ratio, (change + margin) / ofA.ratio] as const;
  return { ...figures, interval, clear: interval[0] > 0 || interval[1] < 0 };
}

function estimate({ values, bases }: Side): Estimate | null {
  const basis = sum(bases);
  if (basis === 0) return null;
  const ratio = sum(values) / basis;
  const freedom = values.length - 1;
  if (freedom < 1) return { ratio, variance: 0, freedom };
  const residuals = sum(values.map((value, at) => (value - ratio * (bases[at] as number)) ** 2));
  return { ratio, variance: ((values.length / freedom) * residuals) / basis ** 2, freedom };
}

// Welch–Satterthwaite.
function freedomOf(a: Estimate, b: Estimate, variance: number): number {
  return variance ** 2 / (a.variance ** 2 / a.freedom + b.variance ** 2 / b.freedom);
}

// The 97.5 % quantile of Student's t: exact for 1 and 2 degrees of freedom, else Fisher and Cornish's expansion, which is right to 0.5 % from 3 on.
export function studentQuantile(freedom: number): number {
  if (freedom < 1.5) return 12.7062;
  if (freedom < 2.5) return 4.3027;
  const z = 1.959964;
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  return terms.reduce((quantile, term, power) => quantile + term / freedom ** (power + 1), z);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
