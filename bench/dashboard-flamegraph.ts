// What a large flamegraph costs a person, in real Chromium with the built pages: from the data to the first picture, panning and zooming, hiding the layers.
// The profile is simulated: 200,000 frames as a server of one model has them. The API answers with at most 65,536 of a selection, so the answer itself comes from
// here, by interception, in this bench alone; everything behind it is the page's own code. The same at the API's most, for comparison.
import { withoutKinds } from "#core/flamegraph/without-kinds.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { limits } from "#schema/limits.ts";
import { BrowserRig } from "#test/rig/browser.ts";
import { simulatedAnswer } from "#test/rig/simulated-answer.ts";
import { until } from "#test/rig/until.ts";
import type { BenchReport, BenchRow } from "./run.ts";

type Page = Awaited<ReturnType<BrowserRig["page"]>>;

const firstDrawMs = 150;
const frameMs = 8;
const toggleMs = 100;
const runs = 5;
const frames = 120;

export async function run(): Promise<BenchReport> {
  const rig = await BrowserRig.open();
  try {
    await rig.tenant("flame-bench");
    const rows = [...(await measure(rig, 200_000, true)), ...(await measure(rig, limits.flamegraphNodesMax, false))];
    return { rows, ok: rows.every(({ ok }) => ok) };
  } finally {
    await rig.close();
  }
}

async function measure(rig: BrowserRig, nodes: number, bound: boolean): Promise<BenchRow[]> {
  const shown = simulatedAnswer(nodes);
  const hidden: Flamegraph = { ...shown, nodes: withoutKinds(shown, new Set(["layer"])).nodes };
  const [draws, answers, toggles, scripts]: [number[], number[], number[], number[]] = [[], [], [], []];
  let boxes = 0;
  for (let i = 0; i < runs; i++) {
    const page = await rig.page("/t/flame-bench/status");
    await page.addInitScript(watch);
    const [body, bodyHidden] = [JSON.stringify(shown), JSON.stringify(hidden)];
    await page.route(/\/api\/flamegraph\?/, (route) => route.fulfill({ contentType: "application/json", body: route.request().url().includes("layers=hide") ? bodyHidden : body }));
    await page.goto("/t/flame-bench/flamegraph");
    const first = (await until("the first picture", () => page.evaluate<{ parsed: number; answered: number } | null>("globalThis.firstPicture ?? null"), (found) => found !== null))!;
    draws.push(first.parsed);
    answers.push(first.answered);
    boxes = Number(await page.getByTestId("flamegraph-canvas").getAttribute("data-drawn"));
    scripts.push(...(await scriptTimes(page)));
    toggles.push(await toggleTime(page, hidden.nodes.parent.length));
  }
  const what = `simulated, ${nodes} frames (${boxes} boxes on screen)`;
  const row = (name: string, value: number, most: number): BenchRow => ({ name: `${what}: ${name}`, value: Number(value.toFixed(1)), bound: bound ? most : null, ok: !bound || value <= most });
  return [
    row(`from the parsed answer to the first picture, ms, median of ${runs}`, quantile(draws, 0.5), firstDrawMs),
    { ...row(`from the last byte to the first picture, parsing among it, ms, median of ${runs}`, quantile(answers, 0.5), Infinity), bound: null, ok: true },
    row(`script of a frame while panning and zooming, ms, p95 of ${scripts.length}`, quantile(scripts, 0.95), frameMs),
    row(`hiding Model Layer, from the click to the picture, ms, median of ${runs}`, quantile(toggles, 0.5), toggleMs),
  ];
}

// After the frame in which something was drawn: what is posted in a frame runs once it is painted.
const watch = `{
  const afterPaint = (then) => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel(); port1.onmessage = then; port2.postMessage(0); });
  const parse = JSON.parse;
  JSON.parse = (text, ...rest) => {
    const value = parse(text, ...rest);
    if (typeof text === "string" && text.length > 1e6) globalThis.parsedAt ??= performance.now();
    return value;
  };
  const request = globalThis.requestAnimationFrame.bind(globalThis);
  globalThis.scriptMs = 0;
  globalThis.requestAnimationFrame = (run) => request((now) => { const start = performance.now(); try { run(now); } finally { globalThis.scriptMs += performance.now() - start; } });
  globalThis.pictureOf = (nodes, then) => {
    const holds = () => { const canvas = document.querySelector("[data-testid=flamegraph-canvas]"); return canvas?.dataset.nodes !== undefined && (nodes === null || canvas.dataset.nodes === String(nodes)); };
    const observer = new MutationObserver(() => { if (!holds()) return; observer.disconnect(); const { port1, port2 } = new MessageChannel(); port1.onmessage = then; port2.postMessage(0); });
    observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-nodes"] });
  };
  globalThis.pictureOf(null, () => {
    const answer = performance.getEntriesByType("resource").find((entry) => /\\/api\\/flamegraph\\?/.test(entry.name));
    globalThis.firstPicture = { parsed: performance.now() - globalThis.parsedAt, answered: performance.now() - answer.responseEnd };
  });
}`;

// A wheel event before each frame, zooming in and out and panning in between: what the event and the frame cost together.
async function scriptTimes(page: Page): Promise<number[]> {
  return await page.evaluate<number[]>(`(async () => {
    const tree = document.querySelector("[data-testid=flamegraph-tree]");
    const { left, top, width } = tree.getBoundingClientRect();
    const times = [];
    for (let frame = 0; frame < ${frames}; frame++) {
      globalThis.scriptMs = 0;
      const turn = frame % 40;
      const zooms = turn < 15 || turn >= 25;
      const start = performance.now();
      tree.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, clientX: left + width * 0.4, clientY: top + 100, ctrlKey: zooms, shiftKey: !zooms, deltaY: zooms ? (turn < 15 ? -90 : 90) : 60 }));
      const event = performance.now() - start;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      times.push(event + globalThis.scriptMs);
    }
    return times;
  })()`);
}

async function toggleTime(page: Page, nodes: number): Promise<number> {
  return await page.evaluate<number>(`new Promise((done) => {
    const start = performance.now();
    globalThis.pictureOf(${nodes}, () => done(performance.now() - start));
    document.querySelector("[data-testid=legend-layer]").click();
  })`);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
