// What the pages cost a person: script on the way to the browser, and the drawings in real Chromium in front of the real stack (one file beside this one for each).
import { scriptSizes } from "#test/rig/script-sizes.ts";
import type { BenchReport, BenchRow } from "./run.ts";

const firstMax = 200_000; // bytes, gzip
const pageMax = 40_000;

const drawings: readonly (() => Promise<{ run: () => Promise<BenchReport> }>)[] = [() => import("./dashboard-graph.ts"), () => import("./dashboard-workload.ts"), () => import("./dashboard-flamegraph.ts")];

export async function run(): Promise<BenchReport> {
  const rows = await scriptRows();
  for (const load of drawings) rows.push(...(await (await load()).run()).rows);
  return { rows, ok: rows.every((row) => row.ok) };
}

async function scriptRows(): Promise<BenchRow[]> {
  const { first, lazy, workers } = await scriptSizes();
  const pages = Object.entries(lazy).filter(([file]) => file.endsWith("-page.tsx"));
  const [heaviest, most] = pages.reduce((a, b) => (b[1] > a[1] ? b : a));
  const bounded = (name: string, value: number, bound: number): BenchRow => ({ name, value, bound, ok: value <= bound });
  return [
    bounded("script of any page, bytes (gzip)", first, firstMax),
    bounded(`script with the heaviest page (${heaviest}), bytes (gzip)`, first + most, firstMax),
    ...pages.toSorted((a, b) => b[1] - a[1]).map(([file, bytes]) => bounded(`${file} adds, bytes (gzip)`, bytes, pageMax)),
    ...Object.entries(workers).map(([name, bytes]): BenchRow => ({ name: `the worker ${name}, bytes (gzip)`, value: bytes, bound: null, ok: true })),
  ];
}
