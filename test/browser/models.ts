// The Models page, a model's page, and the way from a module to its frames and back.
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";
import { FlamegraphPage, hitsOf } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";
import { randomId, shapeUpload, sightingsUpload } from "#test/rig/uploads.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";

const columns = ["Model", "Parameters", "Modules", "Hosts", "Machines", "Processes", "Parallelism", "First seen", "Last seen"];

export function models(rig: () => BrowserRig): void {
  const demoModel = async () => (await rig().stack.demo.get("models")).models[0]!;
  // Three models with shapes, one of them sharded, and one whose shape never came.
  beforeAll(async () => {
    const client = await rig().tenant("zoo");
    await client.get("flagSet", { params: { flag: "models" }, body: { on: true } });
    for (const [name, width, tpSize] of [["org/small", 4, 1], ["org/Large", 4096, 8], ["org/middle", 64, 1]] as const) {
      const modelKey = randomId(32);
      await client.upload("shapes", shapeUpload(drawShape(`Net\n  fc Linear weight:float32[${width},4]`), modelKey));
      await client.upload("sightings", sightingsUpload({ modelKey, nameOrPath: name, architecture: "Net", tpSize }));
    }
    await client.upload("sightings", sightingsUpload({ modelKey: randomId(32), nameOrPath: "org/pending", architecture: "Net" }));
    await rig().stack.settled();
  });

  test("the demo model is listed with its columns, rounded and exact", async () => {
    const page = await rig().page("/t/demo/models");
    const table = page.getByTestId("models-table");
    await table.waitFor();
    expect(await table.locator("thead th").allTextContents()).toEqual(columns);
    const row = page.getByTestId("models-row");
    const cells = await row.locator("th, td").allTextContents();
    expect(cells.slice(0, 7)).toEqual(["qwen3-demoQwen3ForCausalLM", "79.7M", "67", "1", "—", "1", "—"]);
    const model = await demoModel();
    expect(await row.locator("td").nth(0).locator("[title]").getAttribute("title")).toBe(model.parameters!.toLocaleString("en-US"));
    for (const [cell, moment] of [[6, model.firstSeen], [7, model.lastSeen]] as const) {
      expect(await row.locator("td").nth(cell).locator("time").getAttribute("title")).toContain(new Date(moment).toISOString());
      expect(await row.locator("td").nth(cell).textContent()).toMatch(/^(just now|\d+ (s|min) ago)$/);
    }
    expect(await page.getByTestId("models-count").textContent()).toBe("1 model");
  });

  test("the table sorts by any column, says so, and keeps it in the URL", async () => {
    const page = await rig().page("/t/zoo/models");
    const names = () => page.getByTestId("models-row").locator("th a").allTextContents();
    await until("four rows", names, (all) => all.length === 4);
    await page.getByTestId("models-sort-parameters").click();
    await until("largest first", names, (all) => all.join() === "org/Large,org/middle,org/small,org/pending");
    expect(await page.locator("th[aria-sort=descending]").textContent()).toBe("Parameters");
    await page.getByTestId("models-sort-parameters").click();
    await until("smallest first", names, (all) => all.join() === "org/small,org/middle,org/Large,org/pending");
    await page.getByTestId("models-sort-name").click();
    await until("by name", names, (all) => all.join() === "org/Large,org/middle,org/pending,org/small");
    expect(new URL(page.url()).searchParams.get("sort")).toBe("name");
    await page.reload();
    await until("by name after a reload", names, (all) => all.join() === "org/Large,org/middle,org/pending,org/small");
    expect(await page.getByTestId("models-row").first().locator("td").nth(5).textContent()).toBe("TP 8");
    await page.getByText("org/pending").click();
    await page.getByTestId("shape-not-stored").waitFor();
    expect(await page.getByTestId("shape-not-stored").locator("h2").textContent()).toBe("Shape not stored yet");
  });

  test("the rows shown are saved as CSV, and more of them come from the server in its order", async () => {
    const many = await rig().tenant("many-models");
    await many.get("flagSet", { params: { flag: "models" }, body: { on: true } });
    const names = Array.from({ length: 130 }, (_, i) => `org/model-${String(i).padStart(3, "0")}`);
    await Promise.all(names.map((nameOrPath) => many.upload("sightings", sightingsUpload({ modelKey: randomId(32), nameOrPath, architecture: "Net" }))));
    await rig().stack.settled();
    const page = await rig().page("/t/many-models/models?sort=name");
    const shown = () => page.getByTestId("models-row").locator("th a").allTextContents();
    await until("a first page", shown, (all) => all.join() === names.slice(0, 100).join());
    expect(await page.getByTestId("models-count").textContent()).toBe("the first 100 models");
    await page.getByTestId("models-sort-name").click();
    await until("the other end first", shown, (all) => all.join() === names.toReversed().slice(0, 100).join());
    await page.getByTestId("models-more").click();
    await until("all of them", shown, (all) => all.join() === names.toReversed().join());
    expect(await page.getByTestId("models-count").textContent()).toBe("130 models");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("models-csv").click()]);
    expect(download.suggestedFilename()).toMatch(/^lamella-models-many-models-\d{4}-\d\d-\d\dT\d{4}Z\.csv$/);
    const lines = readFileSync(await download.path(), "utf8").split("\r\n");
    expect(lines).toHaveLength(132);
    expect(lines[1]).toMatch(/^org\/model-129,Net,,,1,/);
  });

  test("a row opens the model; its tree is walked by keyboard and the view is in the URL", async () => {
    const page = await rig().page("/t/demo/models");
    await page.getByRole("link", { name: "qwen3-demo" }).press("Enter");
    const model = await demoModel();
    await page.getByTestId("module-graph").waitFor();
    await page.getByTestId("view-list").click();
    const tree = page.getByTestId("module-tree");
    await tree.waitFor();
    expect(new URL(page.url()).pathname).toBe(`/t/demo/models/${model.id}`);
    expect(await page.getByTestId("model-totals").getAttribute("data-parameters")).toBe(String(model.parameters));
    const rows = () => page.evaluate<string[]>("[...document.querySelectorAll('[data-testid=module-row]')].map((row) => `${row.dataset.path}×${row.dataset.repeat}`)");
    expect(await rows()).toEqual(["×1", "model×1", "model.embed_tokens×1", "model.layers×1", "model.layers.0×4", "model.norm×1", "model.rotary_emb×1", "lm_head×1"]);
    expect(await page.locator('[data-path="lm_head"]').textContent()).toContain("shares model.embed_tokens.weight");
    expect(await page.locator('[data-path="model.layers.0"]').textContent()).toContain("layers.0 … layers.3");

    await tree.focus();
    const selected = () => page.locator("[aria-selected=true]").getAttribute("data-path").catch(() => null);
    for (let row = 0; row < 4; row++) await tree.press("ArrowDown");
    await until("the folded layers selected", selected, (path) => path === "model.layers.0");
    await tree.press("ArrowRight");
    await until("the folded layers open", rows, (all) => all.includes("model.layers.0.self_attn×1"));
    await tree.press("ArrowRight");
    await until("the first child", selected, (path) => path === "model.layers.0.self_attn");
    const details = page.getByTestId("module-details");
    expect(await details.textContent()).toContain("model.layers.0.self_attn … model.layers.3.self_attn");
    expect(await details.textContent()).toContain("Copies×4");
    await page.reload();
    await until("the same module after a reload", selected, (path) => path === "model.layers.0.self_attn");
    await tree.focus();
    await tree.press("ArrowLeft");
    await tree.press("ArrowLeft");
    await until("the layers closed", rows, (all) => !all.includes("model.layers.0.self_attn×1"));
    await tree.press("Home");
    await until("the root", selected, (path) => path === "");
    await tree.press("End");
    await until("the last", selected, (path) => path === "lm_head");
  });

  test("Analyze with CUDA flamegraph finds the module's frames, and a frame leads back to its module", async () => {
    const model = await demoModel();
    const page = await rig().page(`/t/demo/models/${model.id}?path=model.layers.0.self_attn`);
    const analyze = page.getByTestId("analyze-module");
    expect((await analyze.textContent())!.trim()).toBe("Analyze with CUDA flamegraph");
    await analyze.click();
    const view = new FlamegraphPage(page);
    await view.drawn();
    const search = view.params.get("search")!;
    const hits = hitsOf(await rig().stack.demo.get("flamegraph"), search);
    const layers = hits.byKind.find((one) => one.kind === "layer")!;
    expect(layers.nodes % 4).toBe(0);
    expect(await view.data(page.getByTestId("search-summary"), "frames")).toBe(String(hits.nodes));
    await view.click((await view.drawn()).find((box) => box.kind === "layer" && box.name === "Qwen3Attention self_attn")!);
    const link = page.getByTestId("flamegraph-details").getByRole("link");
    expect(await link.textContent()).toMatch(/^model\.layers\.\d\.self_attn$/);
    await link.click();
    await page.getByTestId("module-details").waitFor();
    expect(await page.getByTestId("module-details").locator("h2").textContent()).toBe("Qwen3Attention");

    await page.getByTestId("analyze-model").click();
    await view.drawn();
    expect(view.params.get("search")).toBe("qwen3-demo");
    expect(Number(await view.data(page.getByTestId("search-summary"), "frames"))).toBeGreaterThan(0);
  });

  test("a module without frames says so and leads back to its model", async () => {
    const model = await demoModel();
    const page = await rig().page(`/t/demo/flamegraph?search=${encodeURIComponent("Qwen3Attention nowhere")}&model=${model.id}`);
    const found = page.getByTestId("search-summary");
    await until("the sentence", () => found.textContent().catch(() => ""), (text) => text?.includes("This module has no frames in the current flamegraph") === true);
    await found.getByRole("link", { name: "Back to the model" }).click();
    await page.getByTestId("module-graph").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/t/demo/models/${model.id}`);
  });
}
