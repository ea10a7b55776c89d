// What importing a trace costs: a real one of 62 MB against a bare JSON.parse of the same bytes and against the reference mapper's algorithm (trace_mapper.py),
// and the same repeated in time to 376 MB and 2 GB, where memory must not grow with the file and time only in proportion. The trace is a public file in the
// folder LAMELLA_TEST_DATA; without it there is nothing to measure.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { BenchReport, BenchRow } from "./run.ts";
import { writeCopies } from "./trace-copies.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const runs = 5;
type Took = { ms: number; residentMb: number; kernels: number; moduleValue?: number };

export async function run(): Promise<BenchReport> {
  const data = process.env["LAMELLA_TEST_DATA"];
  if (data === undefined) {
    console.error("trace: LAMELLA_TEST_DATA is not set; it names the folder of public traces this benchmark reads");
    return { rows: [], ok: true };
  }
  const folder = mkdtempSync(join(tmpdir(), "lamella-bench-trace-"));
  try {
    const text = gunzipSync(readFileSync(`${data}/kineto/tracelens__inference__xdit_sd_3.5__profile_trace_rank_0.json.gz`)).toString("utf8");
    const sizes = [1, 6, 33].map((copies) => ({ copies, file: join(folder, `${copies}.json`) }));
    for (const { copies, file } of sizes) await writeCopies(text, copies, file);
    const rows = [...smallRows(sizes[0]!.file), ...largeRows(sizes.slice(1))];
    return { rows, ok: rows.every((row) => row.ok) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function atMost(name: string, value: number, bound: number | null, digits = 2): BenchRow {
  return { name, value: Number(value.toFixed(digits)), bound, ok: bound === null || value <= bound };
}

// They take turns, so that a busy moment of the machine meets all of them.
function smallRows(file: string): BenchRow[] {
  const times = { import: [] as number[], parse: [] as number[], mapper: [] as number[] };
  let mapper: Took | undefined;
  for (let round = 0; round < runs; round++) {
    times.import.push(imported(file, "whole").ms);
    times.parse.push(node("-e", `const b=require("fs").readFileSync(process.argv[1]);const t=performance.now();JSON.parse(b.toString("utf8"));console.log(JSON.stringify({ms:performance.now()-t}))`, file).ms);
    times.mapper.push((mapper = took(spawnSync("python3", [join(root, "bench/trace_mapper.py"), file], { encoding: "utf8" }))).ms);
  }
  const [own, parse, reference] = [times.import, times.parse, times.mapper].map((list) => list.sort((a, b) => a - b)[runs >> 1]!) as [number, number, number];
  const label = `${(statSync(file).size / 1e6).toFixed(0)} MB`;
  return [
    atMost(`${label}: import / JSON.parse of the same bytes, medians of ${runs}`, own / parse, 1.5),
    atMost(`${label}: import / the reference mapper's algorithm`, own / reference, 1),
    atMost(`${label}, ms: import`, own, null, 0),
    atMost(`${label}, ms: JSON.parse`, parse, null, 0),
    atMost(`${label}, ms: the reference mapper's algorithm`, reference, null, 0),
    atMost(`${label}, MB resident: the reference mapper's algorithm`, mapper!.residentMb, null, 0),
  ];
}

function largeRows(sizes: readonly { copies: number; file: string }[]): BenchRow[] {
  const rows: BenchRow[] = [];
  const perByte: number[] = [];
  for (const { copies, file } of sizes) {
    const { ms, residentMb, kernels } = imported(file, "large");
    if (kernels !== copies * 8042) throw new Error(`${kernels} kernels of ${copies} × 8042`);
    const bytes = statSync(file).size;
    perByte.push(ms / bytes);
    const label = `${(bytes / 1e6).toFixed(0)} MB`;
    rows.push(atMost(`${label}, MB resident at most`, residentMb, 256, 0), atMost(`${label}, s: import, read twice`, ms / 1000, null, 1), atMost(`${label}, MB/s: import, read twice`, bytes / 1e3 / ms, null, 0));
  }
  rows.push(atMost("time per byte, the largest / the one before", perByte[1]! / perByte[0]!, 1.3));
  return rows;
}

function imported(file: string, way: "whole" | "large"): Took {
  return node(join(root, "bench/trace-import.ts"), file, way);
}

function node(...args: string[]): Took {
  return took(spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", ...args], { encoding: "utf8", cwd: root }));
}

function took({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): Took {
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
