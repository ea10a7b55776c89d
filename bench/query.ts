// The same statements as bench/flamegraph.ts at the size a tenant has in a day: 100 million samples, 5,000 pods, 100,000 stacks; and at a tenth of it, which shows
// what the time follows. The answers from the roll-up follow the distinct stacks, those from raw rows the samples. Takes a quarter of an hour and 2 GB of disk.
import { type BenchRow, type Statement, measure, ratios } from "./flamegraph.ts";
import type { BenchReport } from "./run.ts";

const large = Number(process.env["LAMELLA_BENCH_SAMPLES"] ?? 100_000_000);
const rounds = 5;

export async function run(): Promise<BenchReport> {
  const small = await measure(large / 10, rounds);
  const { best, stored } = await measure(large, rounds);
  const growth = (name: string, statement: Statement, bound: number | null): BenchRow => {
    const value = Number((best[statement].cpu / small.best[statement].cpu).toFixed(2));
    return { name: `${name}: ${large} samples / ${large / 10}`, value, bound, ok: bound === null || value <= bound };
  };
  const rows = [
    ...ratios(best), ...stored,
    // The roll-up of ten times the samples has at most ten times the rows, and the same stacks: far from ten times the time.
    growth("whole answer from the roll-up", "whole", 3), growth("sums by stack from the roll-up", "hourly", null), growth("sums by stack from raw rows", "raw", null),
  ];
  return { rows, ok: rows.every(({ ok }) => ok) };
}
