// A workload of 10,000 simulated requests in a real Chromium in front of the real stack: how long after its data arrived the scatters, the Gantt and the table are drawn and
// the page answers, and how long a click on a column's heading takes until the rows stand in the new order. Wall clock, to which other work on the machine only adds: the bound is
// on the fastest round, of the sorts on the slowest column's fastest; medians stand beside them.
import { openBenchBrowser, type BenchPage } from "#test/rig/bench-browser.ts";
import { until } from "#test/rig/until.ts";
import { simulatedUploads } from "#test/rig/simulated-workload.ts";
import type { BenchReport, BenchRow } from "./run.ts";

const requests = 10_000;
const rounds = 7;
const drawnMax = 500; // ms
const sortMax = 50;
const sortedColumns = ["ttft", "latency", "output", "decode", "queue", "tpot", "input", "start"];

// In the page: the moment at which all of it is drawn and the event loop has come round again, by the page's own clock.
const watch = `
  const drawn = () => document.querySelectorAll("[data-testid^=scatter-] canvas[data-drawn]").length === 2 && document.querySelector("[data-testid=gantt-canvas][data-drawn]") && document.querySelector("[data-testid=requests-table-row]");
  const look = () => (drawn() ? setTimeout(() => (window.__drawnAt = performance.now())) : requestAnimationFrame(look));
  requestAnimationFrame(look);
`;

export async function run(): Promise<BenchReport> {
  const bench = await openBenchBrowser();
  try {
    const id = "b".repeat(64);
    for (const body of simulatedUploads(requests, id)) await bench.upload("workloads", body);
    await bench.settled();
    const [draws, loads, bytes, sorts] = [new Array<number>(), new Array<number>(), new Array<number>(), new Map<string, number[]>()];
    for (let round = 0; round < rounds; round++) {
      const page = await bench.context.newPage();
      await page.addInitScript(watch);
      const processor = await processorTime(page);
      await page.goto(`/t/${bench.stack.tenant.slug}/workloads/${id}`);
      await until("the page drawn", () => page.evaluate<boolean>("window.__drawnAt !== undefined"), (found) => found);
      const { arrivedAt, drawnAt, size } = await page.evaluate<{ arrivedAt: number; drawnAt: number; size: number }>(`(() => {
        const arrived = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/requests?"));
        return { arrivedAt: Math.max(...arrived.map((one) => one.responseEnd)), drawnAt: window.__drawnAt, size: arrived.reduce((sum, one) => sum + one.decodedBodySize, 0) };
      })()`);
      loads.push(await processor());
      draws.push(drawnAt - arrivedAt);
      bytes.push(size);
      for (const column of sortedColumns) sorts.set(column, [...(sorts.get(column) ?? []), await sortTime(page, column)]);
      await page.close();
    }
    const row = (name: string, value: number, bound: number | null): BenchRow => ({ name, value: Number(value.toFixed(1)), bound, ok: bound === null || value <= bound });
    const rows = [
      row(`${requests} requests (simulated): from their data in the browser to scatters, Gantt and table drawn and answering, ms, fastest of ${rounds}`, Math.min(...draws), drawnMax),
      row("the same, median, ms", median(draws), null),
      row(`a click on a heading to ${requests} rows in the new order, ms, fastest of ${rounds}, slowest of ${sorts.size} columns`, Math.max(...[...sorts.values()].map((times) => Math.min(...times))), sortMax),
      row("the same, median of all, ms", median([...sorts.values()].flat()), null),
      row("processor time of the page's main thread from its first script to all drawn, ms, median", median(loads), null),
      row("their data, decoded, MB", median(bytes) / 1e6, null),
    ];
    return { rows, ok: rows.every(({ ok }) => ok) };
  } finally {
    await bench.close();
  }
}

// What the page's main thread used of a processor so far, ms: says how much of the wall clock was waiting for one.
async function processorTime(page: BenchPage): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => 1_000 * (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")!.value;
}

// From the click to the rows of the new order being in the page, by the page's own clock.
async function sortTime(page: BenchPage, column: string): Promise<number> {
  return page.evaluate<number>(`new Promise((done) => {
    const table = document.querySelector("[data-testid=requests-table]");
    const order = () => table.querySelector("th[aria-sort]:not([aria-sort=none])")?.textContent + " " + [...table.querySelectorAll("[data-testid=requests-table-row]")].slice(0, 3).map((row) => row.dataset.row).join();
    const before = order();
    const startedAt = performance.now();
    const observer = new MutationObserver(() => {
      if (order() === before) return;
      observer.disconnect();
      done(performance.now() - startedAt);
    });
    observer.observe(table, { subtree: true, childList: true, attributes: true });
    table.querySelector("[data-testid=requests-table-sort-${column}]").click();
  })`);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
