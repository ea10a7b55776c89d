// Imported traces: the list, and an execution's profiler with its tree, one execution alone and several side by side. Values are those of the record the API answers.
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { durationText } from "#core/quantity.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { drawRecord, drawnStep } from "#test/rig/draw-record.ts";
import { until } from "#test/rig/until.ts";
import { executionUpload, oneSample, randomId, samplesUpload } from "#test/rig/uploads.ts";

export const drawnExecutions = { fast: "1".repeat(64), slow: "2".repeat(64), partial: "3".repeat(64), old: "4".repeat(64), forward: "5".repeat(64) };

const layers = (attention: readonly number[], mlp: number) => attention.map((value, i) => `  layers.${i} Layer 1 ${value + mlp} 2\n    attn Attn 1 ${value} 1\n    mlp Mlp 1 ${mlp} 1`).join("\n");
const kernels = [
  { module: 2, op: "aten::mm", kernel: "gemm_128x64", category: "GEMM", grid: "[64, 1, 1]", block: "[128, 1, 1]", dims: "[[1, 4096], [4096, 4096]]", dtypes: '["c10::BFloat16", "c10::BFloat16"]', count: 1, value: 100, metrics: 0 },
  { module: 5, op: "aten::mm", kernel: "gemm_128x64", category: "GEMM", grid: "[64, 1, 1]", block: "[128, 1, 1]", dims: "[[1, 4096], [4096, 4096]]", dtypes: '["c10::BFloat16", "c10::BFloat16"]', count: 1, value: 110, metrics: 0 },
];
const kernelMetrics: ExecutionRecord["kernelMetrics"] = [{ name: "gemm_128x64", launches: 1, durationNs: 100, memoryPercent: 81.5, computePercent: 20, dramPercent: 79, bottleneck: { kind: "memory bound", reason: "memory 81.5 % of the peak" } }];
const request = (label: string, inputTokens: number) => ({ label, inputTokens, outputTokens: 8, latencyNs: 1_000_000 });

const tensor = { name: "x", dims: [1, 8] };
const forward = {
  calls: [
    { order: 0, parent: -1, path: "", class: "org.Net" }, { order: 1, parent: 0, path: "layers.0", last: "layers.4", copies: 5, class: "org.Layer" },
    { order: 2, parent: 1, path: "layers.0.attn", class: "org.Attn" }, { order: 3, parent: 1, path: "layers.0.mlp", class: "org.Mlp" },
  ],
  flow: [
    { in: 0, from: "input:ids", to: 1, ...tensor }, { in: 0, from: 1, to: "output", ...tensor }, { in: 1, from: 2, to: 3, ...tensor }, { in: 1, from: "input:hidden", to: 3, ...tensor }, { in: 1, from: 3, to: "output", ...tensor },
  ],
};

// Simulated records: a model of five layers in two requests, of which the second attends four times as long to twice the input; and a file that is only half stored.
export async function drawExecutions(rig: BrowserRig, slug: string): Promise<void> {
  const client = await rig.tenant(slug);
  const one = async (id: string, name: string, record: ExecutionRecord | null, parts = 1) => {
    await client.upload("samples", samplesUpload(oneSample(50), { executionId: id, part: 1, parts }));
    await client.upload("executions", executionUpload(id, parts, 50n, { name, modelName: "org/net", ...(record === null ? {} : { digest: encodeUtf8(JSON.stringify(record)) }) }));
  };
  const steps = [drawnStep(1, { phase: "prefill", value: 700, kernels: 5, durationNs: 9_000 }), drawnStep(2, { phase: "decode", value: 400, kernels: 5, durationNs: 4_000 })];
  await one(drawnExecutions.fast, "simulated fast", drawRecord(`.  Net 1 1300 10\n${layers([100, 110, 105, 300, 95], 100)}`, { request: request("Fast", 100), kernels, kernelMetrics, steps, found: { operators: 4 } }));
  await one(drawnExecutions.slow, "simulated slow", drawRecord(`.  Net 1 3500 10\n${layers([400, 440, 420, 1_200, 380], 100)}`, { request: request("Slow", 200), steps, gaps: [{ reason: "graph replay", kernels: 3, value: 90 }] }));
  await one(drawnExecutions.forward, "simulated, with its forward", drawRecord(`.  Net 1 1300 10\n${layers([100, 110, 105, 300, 95], 100)}`, { forward, kernels: [{ module: -1, op: "aten::copy_", kernel: "copy", count: 1, value: 30 }] }));
  await one(drawnExecutions.partial, "half of it", drawRecord(". Net 1 50 1"), 2);
  await one(drawnExecutions.old, "of an older client", null);
  await rig.stack.settled();
}

export function executions(rig: () => BrowserRig): void {
  beforeAll(() => drawExecutions(rig(), "traces"));
  const open = async (id: string, query = "", ready = "module-treegrid") => {
    const page = await rig().page(`/t/traces/executions/${id}${query}`);
    await page.getByTestId(ready).waitFor();
    return page;
  };

  test("the list names what was imported, marks what is incomplete, sorts, and keeps the order in the URL", async () => {
    const page = await rig().page("/t/demo/flamegraph");
    await page.getByTestId("flamegraph-summary").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    const row = page.getByTestId("executions-row").first();
    await row.waitFor();
    const { executions: [demo] } = await rig().stack.demo.get("executions");
    const cells = await row.locator("td").allTextContents();
    expect(cells.slice(1, 7)).toEqual(["qwen3-demo", "CPU operator time", "—", durationText(demo!.totalValue), `${(100 * demo!.moduleValue / demo!.totalValue).toFixed(1)} %`, "recorded"]);

    await page.goto("/t/traces/executions");
    const names = () => page.getByTestId("executions-row").locator("th a").allTextContents();
    await until("five rows", names, (all) => all.length === 5);
    await page.getByTestId("executions-sort-name").click();
    await until("by name", names, (all) => all.join() === "half of it,of an older client,simulated fast,simulated slow,simulated, with its forward");
    expect(new URL(page.url()).searchParams.get("sort")).toBe("name");
    expect(await page.locator('[data-complete="false"]').textContent()).toContain("incomplete: 1 of 2 parts");
    await page.getByText("simulated fast").click();
    await page.getByTestId("module-treegrid").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/t/traces/executions/${drawnExecutions.fast}`);
  });

  test("the demo's tree has the record's times, folded, and the hot path open", async () => {
    const { executions: [demo] } = await rig().stack.demo.get("executions");
    const record = await rig().stack.demo.get("executionRecord", { params: { id: demo!.id } });
    const page = await rig().page(`/t/demo/executions/${demo!.id}`);
    const row = (path: string) => page.locator(`[data-testid="module-row"][data-path="${path}"]`);
    await row("model.layers.0").waitFor();
    expect(await page.getByTestId("run-mode").getAttribute("data-mode")).toBe("eager");
    const of = (pattern: RegExp, column: readonly number[]) => record.modules.path.reduce((sum, path, at) => sum + (pattern.test(record.texts[path]!) ? column[at]! : 0), 0);
    const { path: paths, value, calls } = record.modules;
    expect(paths.length).toBe(66);
    const layer = /^model\.layers\.\d+$/;
    const cells = await row("model.layers.0").locator("[data-numeric]").allTextContents();
    const model = of(/^model$/, value);
    expect(cells.slice(0, 4)).toEqual([durationText(of(layer, value)), `${(100 * of(layer, value) / model).toFixed(1)} %`, `${(100 * of(layer, value) / record.totals.value).toFixed(1)} %`, String(of(layer, calls))]);
    expect(await row("model.layers.0").textContent()).toContain("×4");
    expect(await page.getByTestId("without-layer").textContent()).toBe(`${(100 * record.gaps.reduce((sum, gap) => sum + gap.value, 0) / record.totals.value).toFixed(1)} % without a layer`);
    await row("model.layers.0").click();
    const link = new URL((await page.getByTestId("module-in-model").getAttribute("href"))!, page.url());
    expect([link.pathname, link.searchParams.get("path")]).toEqual([`/t/demo/models/${record.modelKey}`, "model.layers.0"]);
    await page.getByTestId("module-frames").click();
    await until("its frames are found", () => page.getByTestId("search-summary").textContent(), (text) => text!.includes("Qwen3DecoderLayer layers."));
  });

  test("the tree goes by keyboard, and what is open and selected is in the URL", async () => {
    const page = await open(drawnExecutions.fast);
    const grid = page.getByTestId("module-treegrid");
    const selected = () => page.locator('[data-testid="module-row"][aria-selected="true"]').getAttribute("data-path");
    await grid.focus();
    await grid.press("End");
    await until("the last module is selected", selected, (path) => path === "layers.0.mlp");
    await grid.press("ArrowLeft");
    await until("what holds it", selected, (path) => path === "layers.0");
    await grid.press("ArrowLeft");
    await until("it is closed", () => page.locator('[data-path="layers.0"]').getAttribute("aria-expanded"), (open) => open === "false");
    const url = page.url();
    await page.reload();
    await until("closed after a reload", () => page.locator('[data-path="layers.0"]').getAttribute("aria-expanded"), (open) => open === "false");
    expect(page.url()).toBe(url);
    expect(await page.getByTestId("module-panel").textContent()).toContain("5 copies built alike");
  });

  test("a copy that is not like the others is named with its distance", async () => {
    const page = await open(drawnExecutions.fast, "?path=layers.0.attn");
    const values = [100, 110, 105, 300, 95];
    const mean = values.reduce((a, b) => a + b) / 5;
    const sigma = (300 - mean) / Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 5);
    const named = await page.getByTestId("unlike-layers").textContent();
    expect(named).toBe(`layers.3 attn took 300 ns, ${sigma.toFixed(1)} σ over its siblings (${(300 / 105).toFixed(2)} × their median)`);
  });

  test("an operator opens as op → launch → kernel, with what Nsight Compute measured", async () => {
    const page = await open(drawnExecutions.fast, "?path=layers.0.attn");
    await page.locator('[data-testid="operator"][data-op="aten::mm"]').click();
    const chain = page.getByTestId("kernel-chain");
    await chain.waitFor();
    const text = (await chain.textContent())!;
    for (const part of ["aten::mm", "[[1,4096],[4096,4096]]", "BFloat16", "[64,1,1]", "[128,1,1]", "gemm_128x64", "memory 81.5 %, compute 20.0 %, DRAM 79.0 %", "memory bound"]) expect(text).toContain(part);
    expect(new URL(page.url()).searchParams.get("op")).toBe("aten::mm");
  });

  test("two requests stand side by side, with their ratio, difference and growth", async () => {
    const page = await open(drawnExecutions.fast, `?with=${drawnExecutions.slow}`);
    await until("two requests", () => page.getByTestId("requests-strip").locator("li b").allTextContents(), (all) => all.join() === "Fast,Slow");
    const cells = await page.locator('[data-path="layers.0"] [data-numeric]').allTextContents();
    // Five layers: 710 + 500 and 2,840 + 500 ns. Their calls grow from 1,210 to 3,340 for twice the input.
    expect(cells).toEqual(["1.21 µs", "3.34 µs", "93.1 %", "2.76×", "+2.13 µs", `faster than input ${Math.log2(3_340 / 1_210).toFixed(2)}`]);
    expect(await page.getByTestId("request-mode").nth(1).getAttribute("data-mode")).toBe("graph replay");
    await page.locator('[data-testid="module-row"][data-path="layers.0"]').click();
    expect(await page.getByTestId("module-panel").textContent()).toContain("5 copies built alike"); // of the first
    await page.getByTestId("module-order").selectOption("difference");
    await until("sorted", () => new URL(page.url()).searchParams.get("sort"), (sort) => sort === "difference");
    await page.getByRole("button", { name: "Take Slow out" }).click();
    await until("alone again", () => page.getByTestId("requests-strip").count(), (count) => count === 0);
  });

  test("the map of layers: the odd cell is marked and spoken, arrows walk it, the scale is chosen", async () => {
    const page = await open(drawnExecutions.fast, "?view=layers", "layer-heatmap");
    const map = page.getByTestId("layer-heatmap");
    expect(await map.locator('[data-unlike="true"]').evaluateAll((cells) => cells.map((cell) => cell.getAttribute("aria-label")))).toEqual([
      expect.stringMatching(/^layers\.3 · the whole layer: 400 ns, .*unlike the others$/), expect.stringMatching(/^layers\.3 · Attn attn: 300 ns, \+2\.0 σ, 2\.86 × the median, unlike the others$/),
    ]);
    await map.focus();
    await map.press("ArrowDown");
    await map.press("End");
    await until("the last layer's attention", () => page.getByTestId("heat-cell").textContent(), (text) => text!.startsWith("layers.4 · Attn attn: 95 ns"));
    expect([...new URL(page.url()).searchParams]).toEqual([["view", "layers"], ["path", "layers.0.attn"], ["layer", "4"]]);
    await page.getByTestId("scale-all").click();
    await until("one scale", () => map.getAttribute("data-scale"), (scale) => scale === "all");
  });

  test("drilled down to a layer: its operators against all layers, and one of them in every layer", async () => {
    const page = await open(drawnExecutions.fast, "?view=layers&layer=1", "layer-panel");
    const panel = page.getByTestId("layer-panel");
    expect(await panel.locator("h2").textContent()).toBe("layers.1");
    await panel.getByTestId("layer-operator").click();
    await until("a bar a layer", () => panel.getByRole("option").evaluateAll((bars) => bars.map((bar) => bar.getAttribute("aria-label"))), (bars) => bars.join("; ") === "layers.0: 100 ns, 1.1 σ; layers.1: 110 ns, 1.3 σ; layers.2: 0 ns; layers.3: 0 ns; layers.4: 0 ns");
    expect(await panel.getByTestId("kernel-chain").textContent()).toContain("gemm_128x64");
    await panel.getByRole("button", { name: "Next layer" }).click();
    await until("the next layer", () => panel.getAttribute("data-layer"), (layer) => layer === "2");
  });

  test("the architecture: what ran in no module, blocks that open in place, arrows as the forward analysis has them", async () => {
    const page = await open(drawnExecutions.forward, "?view=architecture", "architecture");
    const block = (path: string) => page.locator(`[data-testid="block"][data-path="${path}"]`);
    expect(await block("layers.0").locator("> [data-line]").textContent()).toContain("Layer layers.0…4×5");
    expect(await block(".").getByTestId("flow-source").first().getAttribute("data-source")).toBe("observed");
    expect(await block("layers.0.mlp").locator("p").first().getAttribute("title")).toBe("gets Attn attn (x [1,8]), the input (hidden [1,8])");
    expect(await page.getByTestId("outside-unplaced").textContent()).toContain("aten::copy_30 ns");
    expect(await block("layers.0").getByTestId("flow-arrows").first().locator("path").count()).toBe(3);
    await block(".").locator("[data-select]").first().focus();
    await page.keyboard.press("ArrowDown");
    await until("the layers are selected", () => block("layers.0").getAttribute("data-selected"), (selected) => selected === "true");
    await page.keyboard.press("ArrowLeft");
    await until("and closed", () => block("layers.0").locator("[aria-expanded]").first().getAttribute("aria-expanded"), (expanded) => expanded === "false");
    await page.keyboard.press("ArrowUp");
    await until("what holds them, and focused", () => page.evaluate("document.activeElement.textContent"), (text) => text === "Net");
    await page.getByRole("button", { name: "Close the details" }).click();
    await page.getByTestId("sidebar-layer").nth(3).click();
    await until("drilled down", () => page.getByTestId("layer-panel").getAttribute("data-layer"), (layer) => layer === "3");

    await page.goto(`/t/traces/executions/${drawnExecutions.fast}?view=architecture`);
    await page.getByTestId("architecture").waitFor();
    expect(await page.getByTestId("flow-source").first().textContent()).toContain("In order of the first call; what flows where is not known");
  });

  test("kernels: launched alike in one row, by what they do, and where each ran", async () => {
    const page = await open(drawnExecutions.fast, "?view=kernels", "kernels");
    const row = page.getByTestId("kernels-row");
    expect((await row.locator("th, td").allTextContents()).slice(0, 7)).toEqual(["gemm_128x64", "GEMM", "210 ns", "16.2 %", "2", "105 ns", "aten::mm"]);
    await row.first().click();
    const panel = page.getByTestId("kernel-panel");
    await panel.waitFor();
    expect(await panel.textContent()).toContain("layers.0…4.attn");
    await page.getByTestId("view-steps").click();
    await page.getByTestId("steps").waitFor();
    expect(await page.getByTestId("phase-sums").locator("li").allTextContents()).toEqual(["prefill 1 step · 700 ns GPU time each", "decode 1 step · 400 ns GPU time each"]);
    expect(new URL(page.url()).searchParams.has("kernel")).toBe(false);
    await page.getByTestId("view-kernels").click();
  });

  test("compared: totals, kernels and phases, and every module with its sign", async () => {
    const page = await open(drawnExecutions.fast, `?view=compare&with=${drawnExecutions.slow}`, "compared-modules");
    expect(await page.locator('[data-testid="compared-totals"] [data-name="GPU time"] td').allTextContents()).toEqual(["1.30 µs", "3.50 µs", "+2.20 µs", "+169.2 %"]);
    expect(await page.locator('[data-testid="compared-phases"] [data-name="prefill"] td').allTextContents()).toEqual(["700 ns", "700 ns", "0", "", "1", "1"]);
    const modules = page.getByTestId("compared-modules-row");
    expect(await modules.locator("th").allTextContents()).toEqual(["the root", "layers.0…4×5", "layers.0…4.attn×5", "layers.0…4.mlp×5"]);
    expect((await modules.nth(2).locator("td").allTextContents()).slice(0, 6)).toEqual(["both", "710 ns", "2.84 µs", "+2.13 µs", "+300.0 %", "+2.13 µs"]);
    expect(await page.getByTestId("mode-B").getAttribute("data-mode")).toBe("graph replay");
    const saved = page.waitForEvent("download");
    await page.getByTestId("comparison-csv").click();
    expect((await saved).suggestedFilename()).toBe(`simulated-fast-11111111-22222222.csv`);
    await page.getByTestId("exchange").click();
    await until("the other way round", () => page.locator('[data-testid="compared-totals"] [data-name="GPU time"] td').allTextContents(), (cells) => cells[2] === "−2.20 µs");
  });

  test("the record and the tables are saved whole", async () => {
    const page = await open(drawnExecutions.fast);
    const client = await rig().tenant("traces");
    const save = async (button: string) => {
      const saved = page.waitForEvent("download");
      await page.getByTestId(button).click();
      const file = await saved;
      return { name: file.suggestedFilename(), text: readFileSync((await file.path())!, "utf8") };
    };
    const record = await save("save-record");
    expect([record.name, JSON.parse(record.text)]).toEqual(["simulated-fast-11111111.record.json", await client.get("executionRecord", { params: { id: drawnExecutions.fast } })]);
    const csv = (await save("modules-csv")).text.split("\r\n");
    expect(csv.slice(0, 3)).toEqual(["depth,module,copies,value_ns,share_of_parent,share_of_all,calls,min_call_ns,median_call_ns,max_call_ns,cpu_ns,kernels", "0,.,1,1300,1,1,1,1300,1300,1300,13000,10", `1,layers.0,5,1210,${1210 / 1300},${1210 / 1300},5,195,205,400,12100,10`]);
  });

  test("names of a file are text in every view", async () => {
    const client = await rig().tenant("traces-hostile");
    const script = `</code><script>document.body.id="broken"</script><img src=x onerror="document.body.id='broken'">\u202Egnp`;
    const drawn = drawRecord(`.  Net 1 1300 10\n${layers([100, 110, 105, 300, 95], 100)}`, { kernels, kernelMetrics, device: script, modelName: script, notes: [script], gaps: [{ reason: script, kernels: 1, value: 9 }], categories: [{ category: script, kernels: 1, value: 9 }], request: request(script, 10), steps: [drawnStep(1, { label: script, value: 5 })] });
    const record = { ...drawn, texts: drawn.texts.map((text) => (text === "" || /^layers\.\d+(\.attn)?$/.test(text) ? text : `${text}${script}`)) };
    const id = "6".repeat(64);
    await client.upload("samples", samplesUpload(oneSample(50), { executionId: id, part: 1, parts: 1 }));
    await client.upload("executions", executionUpload(id, 1, 50n, { name: script, device: script, modelName: script, digest: encodeUtf8(JSON.stringify(record)) }));
    await rig().stack.settled();
    const views = [["", "module-treegrid"], ["?path=layers.0.attn", "module-panel"], ["?view=layers&layer=0", "layer-panel"], ["?view=architecture&path=layers.0.attn", "architecture"], ["?view=kernels&kernel=0", "kernel-panel"], ["?view=steps", "steps"], [`?view=compare&with=${id}`, "nothing-chosen"]] as const;
    const page = await rig().page("/t/traces-hostile/executions");
    await page.getByTestId("executions-row").waitFor();
    for (const [query, ready] of views) {
      await page.goto(`/t/traces-hostile/executions/${id}${query}`);
      await page.getByTestId(ready).waitFor();
      expect(await page.locator("#broken, main img, main script").count(), query).toBe(0);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight"), query).toBe(true);
      expect(await page.locator("body").textContent()).not.toContain("\u202E");
    }
  });

  test("what there is not is said: no record, an unknown id, nothing imported", async () => {
    const page = await rig().page(`/t/traces/executions/${drawnExecutions.old}`);
    await page.getByTestId("no-record").waitFor();
    rig().provoked(404);
    await page.goto(`/t/traces/executions/${randomId(64)}`);
    await page.getByTestId("execution-not-found").waitFor();
    rig().provoked(404);
    await rig().tenant("no-traces");
    await page.goto("/t/no-traces/executions");
    expect(await page.getByTestId("no-executions").textContent()).toContain("npx lamella import trace.json.gz");
  });
}
