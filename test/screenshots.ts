// `npm run screenshots`: every page in both themes, from the real stack, to docs/images. `npm run screenshots -- models palette` takes only those whose name says so;
// `--to FOLDER` and `--width 900` are for looking at one's work.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { singleRank } from "#core/shape/layout.ts";
import { root } from "#local/worker.ts";
import { drawnExecutions, drawExecutions } from "#test/browser/executions.ts";
import { qwen3 } from "#test/core/shape/qwen3-32b.ts";
import { BrowserRig } from "#test/rig/browser.ts";
import { simulatedMetrics } from "#test/rig/simulated-metrics.ts";
import { storeSimulatedModel } from "#test/rig/simulated-model.ts";
import { simulatedUploads } from "#test/rig/simulated-workload.ts";
import { smallPng } from "#test/rig/small-png.ts";

const demo = join(root, "local/demo/qwen3-demo.trace.json.gz");
const model32 = "Qwen/Qwen3-32B";
const run = "a1".repeat(32);
const sharded = [{ path: "model.layers.*.self_attn.q_proj.weight", dim: 0 }, { path: "model.layers.*.self_attn.o_proj.weight", dim: 1 }];

type Shot = { readonly path: string; readonly ready: string; readonly act?: (page: Page) => Promise<void> };

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const [folder, width] = [option("to") ?? join(root, "docs/images"), Number(option("width") ?? 1280)];
const wanted = process.argv.slice(2).filter((word, at, all) => !word.startsWith("--") && !all[at - 1]?.startsWith("--"));

const rig = await BrowserRig.open();
try {
  await rig.import(rig.stack.demo, demo, "demo: a small Qwen3, recorded on a CPU");
  await storeSimulated();
  const shots = await shotsOf();
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (const [name, { path, ready, act }] of Object.entries(shots)) {
    if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
    const page = await rig.page(path);
    await page.setViewportSize({ width, height: 800 });
    await page.getByTestId(ready).first().waitFor();
    await act?.(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate("document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 150)))))");
      const picture = smallPng(await page.screenshot({ animations: "disabled", caret: "hide" }));
      writeFileSync(join(folder, `${name}-${colorScheme}.png`), picture);
      bytes += picture.length;
    }
    console.log(name);
  }
  const complaints = rig.takeComplaints();
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
  console.log(`${(bytes / 1e6).toFixed(2)} MB in ${folder}`);
} finally {
  await rig.close();
}

// A tenant of that name, so that its name stands in every picture of it.
async function storeSimulated(): Promise<void> {
  const client = await rig.tenant("simulated");
  await client.get("flagSet", { params: { flag: "models" }, body: { on: true } });
  await storeSimulatedModel(client, qwen3({ "lm_head.weight": "model.embed_tokens.weight" }), { name: model32, slow: { path: "model.layers.41.self_attn", times: 2.3 }, layout: { ...singleRank(), tpSize: 4, sharded } });
  for (const body of simulatedUploads(400, run)) await client.upload("workloads", body);
  const toS = Math.floor(Date.now() / 60_000) * 60;
  for (const body of simulatedMetrics(toS - 3_600, 240)) await client.upload("metrics", body);
  await drawExecutions(rig, "simulated");
}

async function shotsOf(): Promise<Record<string, Shot>> {
  const drawn = (page: Page) => page.locator("[data-testid=flamegraph-canvas][data-boxes]").waitFor();
  const [execution] = (await rig.stack.demo.get("executions")).executions;
  const { models } = await (await rig.tenant("simulated")).get("models");
  const big = `/t/simulated/models/${models.find((one) => one.name === model32)!.id}`;
  const recorded = `/t/demo/executions/${execution!.id}`;
  const traces = `/t/simulated/executions/${drawnExecutions.fast}`;
  return {
    flamegraph: { path: "/t/demo/flamegraph", ready: "flamegraph-summary", act: drawn },
    "flamegraph-frame": {
      path: "/t/demo/flamegraph?search=Qwen3MLP", ready: "flamegraph-summary",
      act: async (page) => {
        await drawn(page);
        await page.getByTestId("flamegraph-search").press("Enter");
        await page.getByTestId("module-pane").waitFor();
      },
    },
    "flamegraph-table": { path: "/t/demo/flamegraph?view=table&by=module", ready: "top-table" },
    models: { path: "/t/simulated/models", ready: "models-row" },
    model: { path: `${big}?path=model.layers.0`, ready: "module-details", act: async (page) => void (await page.getByTestId("spark").first().waitFor()) },
    "model-list": { path: `${big}?view=list`, ready: "module-tree" },
    "model-memory": { path: `${big}?view=memory`, ready: "memory" },
    executions: { path: "/t/simulated/executions", ready: "executions-table" },
    execution: { path: recorded, ready: "module-treegrid" },
    "execution-layers": { path: `${traces}?view=layers&layer=3`, ready: "layer-panel" },
    "execution-architecture": { path: `/t/simulated/executions/${drawnExecutions.forward}?view=architecture`, ready: "layer-sidebar" },
    "execution-requests": { path: `${traces}?with=${drawnExecutions.slow}`, ready: "requests-strip" },
    workloads: { path: "/t/simulated/workloads", ready: "workloads-table-row" },
    workload: { path: `/t/simulated/workloads/${run}`, ready: "gantt", act: async (page) => void (await page.locator("[data-testid=gantt-canvas][data-drawn]").waitFor()) },
    metrics: { path: "/t/simulated/metrics?from=-1h", ready: "panels", act: async (page) => void (await page.locator("[data-testid=chart-ttft][data-drawn]").waitFor()) },
    file: {
      path: "/t/demo/file", ready: "no-file",
      act: async (page) => {
        await page.getByTestId("file-picker").setInputFiles({ name: "qwen3-demo.trace.json.gz", mimeType: "application/gzip", buffer: readFileSync(demo) });
        await page.getByTestId("flamegraph-summary").waitFor();
        await drawn(page);
      },
    },
    palette: {
      path: "/t/demo/flamegraph", ready: "flamegraph-summary",
      act: async (page) => {
        await drawn(page);
        await page.keyboard.press("Control+k");
        await page.getByTestId("palette-input").fill("qwen");
        await page.locator('[data-choice^="execution "]').waitFor();
      },
    },
    keys: { path: "/t/demo/status", ready: "status-figures", act: async (page) => void (await page.keyboard.press("?"), await page.getByTestId("keyboard-sheet").waitFor()) },
    setup: { path: "/t/demo/setup", ready: "setup-form" },
    status: { path: "/t/demo/status", ready: "status-figures" },
    flags: { path: "/t/demo/settings/flags", ready: "flag-row" },
    tokens: { path: "/t/demo/settings/tokens", ready: "tokens-table" },
  };
}
