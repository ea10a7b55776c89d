// Public files of every kind, opened as the browser does: the same bytes, the same readers, the same sums as an import.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileFlamegraph } from "#core/file-view/file-flamegraph.ts";
import { FileChunks } from "#dashboard/pages/file/file-chunks.ts";
import { readOpened } from "#dashboard/pages/file/read-opened.ts";

const data = process.env.LAMELLA_TEST_DATA;
const bytesMax = 1e6; // of one file here: what matters is the kinds, and the large ones have tests of their own

const open = (name: string, bytes: Uint8Array<ArrayBuffer>) => readOpened(new FileChunks(new File([bytes], name, { lastModified: 1_764_000_000_000 }), () => undefined));
const filesIn = (folder: string) =>
  readdirSync(join(data!, folder), { recursive: true, encoding: "utf8" })
    .map((file) => join(data!, folder, file))
    .filter((path) => statSync(path).isFile() && statSync(path).size < bytesMax && !/SOURCES|README|\.md$|LICENSE/.test(path));

describe.skipIf(data === undefined)("public files (LAMELLA_TEST_DATA is set)", () => {
  test.each(["kineto", "pprof", "folded", "otlp"])("%s: opens with a flamegraph of all its time, or says why not", async (folder) => {
    const kinds = { opened: 0, refused: 0 };
    for (const path of filesIn(folder)) {
      const read = await open(basename(path), readFileSync(path) as Uint8Array<ArrayBuffer>);
      if (!read.ok) {
        expect(read.error.reason.length, path).toBeGreaterThan(10);
        kinds.refused++;
        continue;
      }
      const { trace } = read.value;
      if (trace === null) continue;
      kinds.opened++;
      const sum = trace.execution.samples.reduce((all, { value }) => all + BigInt(value), 0n);
      for (const layers of ["show", "fold", "hide"] as const) expect(BigInt(fileFlamegraph(trace, { layers }).total), `${path} ${layers}`).toBe(sum);
    }
    expect(kinds.opened).toBeGreaterThan(folder === "otlp" ? 0 : 5);
  });

  test("prometheus: opens as a table", async () => {
    for (const path of filesIn("prometheus")) {
      const read = await open(basename(path), readFileSync(path) as Uint8Array<ArrayBuffer>);
      expect(read.ok && read.value.opened.kind, path).toBe("metrics");
    }
  });

  test("benchmark results: open as runs with their requests", async () => {
    const kinds: string[] = [];
    for (const path of filesIn("bench")) {
      const read = await open(basename(path), readFileSync(path) as Uint8Array<ArrayBuffer>);
      kinds.push(read.ok ? read.value.opened.kind : "refused");
      if (read.ok && read.value.opened.kind === "benchmark") for (const { report, requests } of read.value.opened.runs) expect(requests.n, path).toBe(report.requests);
    }
    expect(kinds.filter((kind) => kind === "benchmark").length).toBeGreaterThan(kinds.length / 2);
  });
});

test("progress is told in bytes of the file, up to all of it, for each reading", async () => {
  const told: [number, number][] = [];
  const bytes = new TextEncoder().encode("main;a 1\n".repeat(50_000));
  const chunks = new FileChunks(new File([bytes], "a.folded"), (read, pass) => told.push([read, pass]));
  expect((await readOpened(chunks)).ok).toBe(true);
  const passes = [...new Set(told.map(([, pass]) => pass))];
  expect(told.filter(([, pass]) => pass === passes.at(-1)).at(-1)![0]).toBe(bytes.length);
});

test("a gzip that unpacks to more than it looked like is read again as a large file, with the same answer", async () => {
  const events = Array.from({ length: 500 }, (_, i) => ({ ph: "X", cat: "kernel", name: `gemm_${i % 7}`, pid: 0, tid: 7, ts: 10 * i, dur: 5, args: { device: 0, stream: 7, correlation: i } }));
  const text = JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, name: "simulated" }], traceEvents: events });
  const gzip = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
  const passes = new Set<number>();
  const told = () => new FileChunks(new File([gzip], "t.json.gz", { lastModified: 0 }), (_, pass) => passes.add(pass));
  const once = await readOpened(told());
  const passesOnce = passes.size;
  const again = await readOpened(told(), 1_000);
  if (!once.ok || !again.ok) throw new Error(`refused: ${JSON.stringify([once, again])}`);
  expect(again.value.trace!.execution.totals).toEqual(once.value.trace!.execution.totals);
  expect(passes.size).toBeGreaterThan(passesOnce + 1);
});
