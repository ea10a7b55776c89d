// `npm run bench -- ingest flamegraph`: each benchmark prints one JSON document {"rows":[{name, value, bound, ok}], "ok"}; exit 1 when a bound is missed.
// Ratios against a peer measured in the same run; absolute figures are informative (bound null).
export type BenchRow = { readonly name: string; readonly value: number; readonly bound: number | null; readonly ok: boolean };
export type BenchReport = { readonly rows: readonly BenchRow[]; readonly ok: boolean };

const benches: Record<string, () => Promise<{ run: () => Promise<BenchReport> }>> = {
  ingest: () => import("./ingest.ts"),
  flamegraph: () => import("./flamegraph.ts"),
  query: () => import("./query.ts"),
  beside: () => import("./beside.ts"),
  shape: () => import("./shape.ts"),
  trace: () => import("./trace.ts"),
  dashboard: () => import("./dashboard.ts"),
};

const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0 || process.argv.includes("--help")) {
  console.error(`npm run bench [-- name …]\n  ingest      the whole path from the ingest URL to stored rows, against a bare insert of the same rows\n  flamegraph  the whole answer, against a bare GROUP BY stack_id of the same predicate\n  query       the same at 100 million samples, and how the times grow from a tenth of them; a quarter of an hour, so only when it is named\n  beside      what a query of ten seconds costs pings and inserts beside it\n  shape       a model of 60,000 modules from upload to graph, stored bytes, and what the reader costs a Python process\n  trace       a real trace of 62 MB against JSON.parse of the same bytes; 376 MB and 2 GB in bounded memory\n  dashboard   script of every page, and the drawings of large models, runs and profiles in real Chromium\nExample: npm run bench -- ingest`);
  process.exit(unknown.length > 0 ? 2 : 0);
}
let ok = true;
for (const name of wanted.length > 0 ? wanted : Object.keys(benches).filter((name) => name !== "query")) {
  const report = await (await benches[name]!()).run();
  console.log(JSON.stringify({ bench: name, ...report }, null, 2));
  ok &&= report.ok;
}
process.exit(ok ? 0 : 1);
