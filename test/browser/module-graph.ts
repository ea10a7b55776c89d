// The module graph: the structure of Qwen3-32B with simulated samples of 64 layers, one of them slow. Drawn boxes, folding, roles, search, aliases, the samples'
// time, the details, the copies, memory and comparison; and the way to the flamegraph and back.
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { compareShapes } from "#core/shape/compare/compare.ts";
import { singleRank } from "#core/shape/layout.ts";
import { quantityText, shareText } from "#core/quantity.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { qwen3 } from "#test/core/shape/qwen3-32b.ts";
import type { Client } from "#test/rig/client.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { type Box, FlamegraphPage, hitsOf } from "#test/rig/flamegraph-page.ts";
import { simulatedSamples } from "#test/rig/simulated-samples.ts";
import { storeSimulatedModel } from "#test/rig/simulated-model.ts";
import { until } from "#test/rig/until.ts";

const name = "Qwen/Qwen3-32B";
const slow = { path: "model.layers.41.self_attn", times: 2.3 };
const body = qwen3({ "lm_head.weight": "model.embed_tokens.weight" });
const halved: ShapeBody = {
  ...body,
  modules: body.modules.map((row) => ({ ...row, tensors: row.tensors.map((tensor) => (tensor.dims.length > 1 ? { ...tensor, dtype: "float8_e4m3fn", bytes: tensor.bytes / 2 } : tensor)) })),
};
const sharded = [{ path: "model.layers.*.self_attn.q_proj.weight", dim: 0 }, { path: "model.layers.*.self_attn.o_proj.weight", dim: 1 }];

export function moduleGraph(rig: () => BrowserRig): void {
  let [id, other, modelKey] = ["", "", ""];
  let client: Client;
  beforeAll(async () => {
    client = await rig().tenant("graph");
    await client.get("flagSet", { params: { flag: "models" }, body: { on: true } });
    modelKey = await storeSimulatedModel(client, body, { name, slow, layout: { ...singleRank(), tpSize: 4, sharded } });
    await storeSimulatedModel(client, halved, { name: "Qwen/Qwen3-32B-FP8", samples: false });
    await rig().stack.settled();
    const { models } = await client.get("models");
    [id, other] = [name, "Qwen/Qwen3-32B-FP8"].map((one) => models.find((model) => model.name === one)!.id) as [string, string];
  });
  const open = async (search = ""): Promise<Graph> => {
    const graph = new Graph(await rig().page(`/t/graph/models/${id}${search}`));
    await graph.tree.waitFor();
    return graph;
  };

  test("Models → Qwen3-32B → unfold to layer 17 → its frames → back", async () => {
    const page = await rig().page("/t/graph/models");
    await page.getByRole("link", { name, exact: true }).click();
    const graph = new Graph(page);
    await until("the 64 layers as one", () => graph.paths(), (paths) => paths.join() === ",model,model.embed_tokens,model.layers,model.layers.0,model.norm,model.rotary_emb,lm_head");
    expect(await graph.box("model.layers.0").textContent()).toContain("×64");
    await graph.box("model.layers.0").click();
    await page.getByTestId("unfold").click();
    const copies = page.getByTestId("copies");
    await copies.waitFor();
    for (let copy = 0; copy < 17; copy++) await copies.press("ArrowDown");
    await copies.press("Enter");
    await until("layer 17 by itself", () => graph.paths(), (paths) => ["model.layers.0", "model.layers.17", "model.layers.18"].every((path) => paths.includes(path)));
    expect(await graph.box("model.layers.0").textContent()).toContain("×17");
    expect(await graph.box("model.layers.18").textContent()).toContain("×46");
    await graph.selected("model.layers.17");
    expect(await page.getByTestId("module-details").textContent()).toContain("487.6M");
    await page.getByTestId("analyze-module").click();
    const flamegraph = new FlamegraphPage(page);
    await flamegraph.drawn();
    expect(flamegraph.params.get("search")).toBe("Qwen3DecoderLayer layers.17");
    expect(await flamegraph.data(page.getByTestId("search-summary"), "frames")).toBe("1");
    await page.goBack();
    await graph.selected("model.layers.17");
  });

  test("a folded module lights up its frames in all 64 layers", async () => {
    const graph = await open("?path=model.layers.0.self_attn");
    await graph.page.getByTestId("analyze-module").click();
    const flamegraph = new FlamegraphPage(graph.page);
    await flamegraph.drawn();
    const search = flamegraph.params.get("search")!;
    expect(search).toBe("Qwen3Attention self_attn");
    const hits = hitsOf(await client.get("flamegraph"), search);
    expect(hits.byKind.map(({ kind, nodes }) => [kind, nodes])).toEqual([["layer", 64]]);
    expect(await flamegraph.data(graph.page.getByTestId("search-summary"), "frames")).toBe("64");
  });

  test("64 layers are 64 frames; with Model Layer off in the legend they are one Python stack with the same total", async () => {
    const view = new FlamegraphPage(await rig().page("/t/graph/flamegraph"));
    const named = (boxes: Box[], name: string) => boxes.filter((box) => box.name === name).length;
    const { nodes, frames } = await client.get("flamegraph");
    const nodesNamed = (name: string) => nodes.frame.filter((frame) => frames.name[frame] === name).length;
    expect(["Qwen3DecoderLayer layers.17", "Qwen3DecoderLayer layers.18", "Qwen3DecoderLayer.forward"].map(nodesNamed)).toEqual([1, 1, 64]);
    await view.drawn();
    const total = await view.data(view.summary, "total");
    expect(await view.summary.textContent()).toContain("simulated");
    await view.page.getByTestId("legend-layer").click();
    const merged = await view.boxes("no layers", (all) => all.length > 0 && all.every((box) => box.kind !== "layer"));
    expect([named(merged, "Qwen3DecoderLayer.forward"), named(merged, "Qwen3Attention.forward"), named(merged, "Qwen3MLP.forward")]).toEqual([1, 1, 1]);
    expect(await view.data(view.summary, "total")).toBe(total);
  });

  test("what is open, selected and lit survives a reload, and what is opened stays where it is", async () => {
    const graph = await open();
    const layers = graph.box("model.layers.0");
    const before = (await layers.boundingBox())!;
    await layers.locator("[data-action=toggle]").click();
    await graph.box("model.layers.0.self_attn").waitFor();
    const after = (await layers.boundingBox())!;
    expect([Math.round(after.x), Math.round(after.y)]).toEqual([Math.round(before.x), Math.round(before.y)]);
    await graph.box("model.layers.0.mlp").click();
    await graph.page.getByTestId("role-Norm").click();
    const shown = await graph.paths();
    await graph.page.reload();
    await graph.selected("model.layers.0.mlp");
    expect(await graph.paths()).toEqual(shown);
    expect(await graph.page.getByTestId("role-Norm").getAttribute("aria-pressed")).toBe("true");
    await graph.ground();
    await until("the details closed", () => graph.page.getByTestId("module-details").count(), (count) => count === 0);
  });

  test("a role in the spotlight: hidden modules are counted, Escape lets go", async () => {
    const graph = await open();
    await graph.page.getByTestId("role-Norm").hover();
    await until("4 norms in each of 64 layers", () => graph.box("model.layers.0").getByTestId("hidden-count").textContent().catch(() => ""), (text) => text === "256 Norm");
    expect(await graph.box("model.embed_tokens").getAttribute("data-dim")).toBe("true");
    expect(await graph.box("model.norm").getAttribute("data-lit")).toBe("true");
    await graph.page.getByTestId("role-Norm").click();
    await graph.page.mouse.move(700, 10);
    await until("kept", () => Promise.resolve(graph.param("role")), (role) => role === "Norm");
    expect(await graph.box("model.embed_tokens").getAttribute("data-dim")).toBe("true");
    await graph.tree.press("Escape");
    await until("let go", () => graph.box("model.embed_tokens").getAttribute("data-dim"), (dim) => dim === "false");
  });

  test("search finds through what is collapsed, marks where, and picking a hit opens the way to it", async () => {
    const graph = await open();
    await graph.page.keyboard.press("/");
    await graph.page.keyboard.type("q_proj");
    await until("64 matches in the fold", () => graph.box("model.layers.0").getAttribute("data-matches"), (marked) => marked === "true");
    expect(await graph.page.getByTestId("module-search-count").textContent()).toBe("64 in 1 place");
    expect(await graph.page.getByTestId("module-hits").getByRole("option").allTextContents()).toEqual(["Limodel.layers.0.self_attn.q_projLinear64 copies"]);
    await graph.page.keyboard.press("Enter");
    await graph.selected("model.layers.0.self_attn.q_proj");
    expect(await graph.page.getByTestId("tensors").textContent()).toContain("[8192, 5120]");
    expect(await graph.page.getByTestId("tensors").textContent()).toContain("dim 0 sharded");
    await graph.page.getByTestId("module-search").fill("/^model\\.norm$/");
    await until("one match", () => graph.page.getByTestId("module-search-count").textContent(), (text) => text === "1 match");
    await graph.page.getByTestId("module-search").fill("/[/");
    await until("what is wrong", () => graph.page.getByTestId("module-search").getAttribute("aria-invalid"), (invalid) => invalid === "true");
    expect(graph.param("q")).toBe("/[/");
  });

  test("an alias is linked to the module whose tensors it shares, until aliases are not resolved", async () => {
    const graph = await open("?path=lm_head");
    await graph.selected("lm_head");
    expect(await graph.box("lm_head").getAttribute("data-alias")).toBe("true");
    expect(await graph.links()).toBe(1);
    await graph.page.getByTestId("module-details").getByRole("button", { name: "model.embed_tokens", exact: true }).click();
    await graph.selected("model.embed_tokens");
    expect(await graph.links()).toBe(1);
    await graph.page.getByTestId("resolve-aliases").uncheck();
    await until("no link", () => graph.links(), (count) => count === 0);
    expect(await graph.box("lm_head").getAttribute("data-alias")).toBe("false");
    const tied = body.modules.flatMap(({ tensors }) => tensors).find(({ dims }) => dims[0] === 151_936)!.bytes;
    expect(await graph.box("").textContent()).toContain(`${((31_984_210_944 + tied / 2) / 1e9).toFixed(1)}B`);
  });

  test("the share of the samples' time on each module, and the copy that is unlike the others", async () => {
    const profile = simulatedSamples(body, { modelName: name, modelKey, slow });
    const sum = (of: (path: string) => boolean) =>
      profile.stacks.filter(({ frames }) => frames.some((frame) => profile.frames[frame]!.kind === "layer" && of(profile.frames[frame]!.modulePath))).reduce((total, { value }) => total + Number(value), 0);
    const whole = profile.stacks.reduce((total, { value }) => total + Number(value), 0);
    const graph = await open("?path=model.layers.0.self_attn");
    const time = graph.page.getByTestId("module-time");
    await time.waitFor();
    const facts = Object.fromEntries((await time.locator("div").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))) as [string, string][]);
    const one = sum((path) => path === "model.layers.0.self_attn");
    const slowest = sum((path) => path === slow.path);
    expect(facts).toEqual({
      Share: shareText(sum((path) => path.endsWith("self_attn")) / whole), "All copies": quantityText(sum((path) => path.endsWith("self_attn")), "ns"),
      "Least (layers.0)": quantityText(one, "ns"), Median: quantityText(one, "ns"), "Most (layers.41)": quantityText(slowest, "ns"),
    });
    expect(await graph.page.getByTestId("outlier").textContent()).toBe(`${slow.path} takes 2.3× the median of its copies`);
    expect(await graph.box("model.layers.0.self_attn").getByTestId("spark").textContent()).toBe("layers.41 2.3×");
    expect(await graph.box("model.layers").textContent()).toContain(`Σ ${shareText(sum((path) => path.startsWith("model.layers.")) / whole)}`);
    const note = await graph.page.getByTestId("times-note").textContent();
    expect(note).toContain("simulated data: no real device was measured");
    expect(note).toContain(`${shareText(60_000 / whole)} without a layer`);
    await graph.page.getByTestId("show-times").uncheck();
    await until("no times", () => graph.box("model.norm").textContent(), (text) => !text?.includes("%"));
  });

  test("the time is of the samples that a filter takes, and a mistake in it is shown where it stands", async () => {
    const graph = await open();
    const note = () => graph.page.getByTestId("times-note").textContent().catch(() => "");
    const filter = graph.page.getByTestId("filter");
    await filter.fill('host.name == "elsewhere"');
    await filter.press("Enter");
    await until("no samples", note, (text) => text === "No samples in this time range name a module of this model.");
    await filter.fill('host.name == "simulated-1"');
    await filter.press("Enter");
    await until("all of them", note, (text) => text?.includes("without a layer") === true);
    expect(graph.param("filter")).toBe('host.name == "simulated-1"');
    await filter.fill('hots.name == "x"');
    await filter.press("Enter");
    await graph.page.getByTestId("filter-problem").waitFor();
    expect(await graph.page.getByTestId("filter-problem").textContent()).toContain("host.name");
    expect(await graph.paths()).toContain("model.layers.0");
    rig().provoked(400);
  });

  test("the details: totals, copies, precision, tensors with how they are sharded", async () => {
    const graph = await open("?path=model.layers.0.self_attn.o_proj");
    const details = graph.page.getByTestId("module-details");
    await details.waitFor();
    const text = (await details.textContent())!;
    for (const part of ["Linear", "model.layers.0.self_attn.o_proj … model.layers.63.self_attn.o_proj", "Copies×64", "Held by itself41.9M", "Parameters, all 642.7B", "bfloat16", "[5120, 8192]", "dim 1 sharded", "each of 4 ranks"]) expect(text).toContain(part);
    await graph.box("model.layers.0.self_attn").click();
    await until("a container has no tensors", () => graph.page.getByTestId("tensors").count(), (count) => count === 0);
  });

  test("everything by keyboard: open, walk, expand, reset, menu, copy the path", async () => {
    const graph = await open();
    await graph.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await graph.tree.focus();
    await graph.tree.press("ArrowDown");
    await graph.selected("");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) await graph.tree.press(key);
    await graph.selected("model.layers.0");
    await graph.tree.press("ArrowRight");
    await graph.tree.press("ArrowRight");
    await graph.selected("model.layers.0.self_attn");
    await graph.tree.press("Control+c");
    await until("the path copied", () => graph.page.evaluate<string>("navigator.clipboard.readText()"), (text) => text === "model.layers.0.self_attn");
    await graph.tree.press("Shift+F10");
    await graph.page.getByTestId("module-menu").waitFor();
    await graph.page.keyboard.press("Escape");
    await graph.tree.press("e");
    await until("every section open", () => graph.tree.getAttribute("data-rows"), (rows) => rows === "22");
    expect(graph.param("expand")).toBe("all");
    await graph.tree.press("r");
    await until("as at first", () => graph.tree.getAttribute("data-rows"), (rows) => rows === "8");
  });

  test("Escape closes the list of copies and leaves the selection; a slash in it is no search", async () => {
    const graph = await open("?path=model.layers.0&role=Attention");
    await graph.page.getByTestId("unfold").click();
    const copies = graph.page.getByTestId("copies");
    await copies.press("/");
    await copies.press("Escape");
    await until("the list closed", () => graph.page.getByTestId("copies-dialog").count(), (count) => count === 0);
    expect([graph.param("path"), graph.param("role")]).toEqual(["model.layers.0", "Attention"]);
  });

  test("pan, zoom and fit; the camera is in the URL; far away a box says less", async () => {
    const graph = await open();
    const root = async () => (await graph.box("").boundingBox())!;
    const fitted = await root();
    await graph.page.getByTestId("pill-zoom").first().click();
    await until("larger", root, (box) => box.width > fitted.width * 1.2);
    await until("in the URL", () => Promise.resolve(graph.param("at")), (at) => at !== null);
    const zoomed = await root();
    await graph.page.reload();
    await until("the same after a reload", root, (box) => Math.abs(box.width - zoomed.width) < 2 && Math.abs(box.x - zoomed.x) < 2);
    await graph.page.mouse.move(320, 800);
    await graph.page.mouse.down();
    await graph.page.mouse.move(420, 760);
    await graph.page.mouse.up();
    await until("moved with the pointer", root, (box) => Math.abs(box.x - zoomed.x - 100) < 2 && Math.abs(box.y - zoomed.y + 40) < 2);
    await graph.tree.press("0");
    await until("fitted again", root, (box) => Math.abs(box.width - fitted.width) < 2);
    for (let i = 0; i < 6; i++) await graph.tree.press("-");
    await until("names only", () => graph.tree.locator("[data-detail]").getAttribute("data-detail"), (detail) => detail === "name");
    for (let i = 0; i < 5; i++) await graph.tree.press("-");
    await until("tints only", () => graph.tree.locator("[data-detail]").getAttribute("data-detail"), (detail) => detail === "tint");
  });

  test("memory for other sizes, as the API counts it", async () => {
    const graph = new Graph(await rig().page(`/t/graph/models/${id}?view=memory`));
    const memory = graph.page.getByTestId("memory");
    await memory.waitFor();
    const api = async (tp: string, pp: string) => String((await client.get("shapeMemory", { params: { id }, query: { tp, pp } })).weights.bytesPerRank);
    expect(await memory.getAttribute("data-bytes-per-rank")).toBe(await api("4", "1"));
    const field = graph.page.getByTestId("memory-tp");
    await field.press("Control+a");
    await field.press("Backspace");
    await field.pressSequentially("8");
    await graph.page.getByTestId("memory-pp").fill("2");
    const wanted = await api("8", "2");
    await until("TP 8, PP 2", () => memory.getAttribute("data-bytes-per-rank"), (bytes) => bytes === wanted);
    expect([graph.param("tp"), graph.param("pp")]).toEqual(["8", "2"]);
  });

  test("what differs from another model, one line a change", async () => {
    const graph = new Graph(await rig().page(`/t/graph/models/${id}?view=compare`));
    await graph.page.getByTestId("compare-nothing").waitFor();
    await graph.page.getByTestId("compare-with").selectOption(other);
    const changes = graph.page.getByTestId("shape-changes");
    await changes.waitFor();
    const truth = compareShapes({ body }, { body: halved }, 1_000);
    expect(await changes.getAttribute("data-total")).toBe(String(truth.ok && truth.value.total));
    expect(await changes.textContent()).toContain("model.layers.*.mlp.down_proj.weightbfloat16 → float8_e4m3fn×64");
    await changes.getByRole("link", { name: "model.layers.*.mlp.down_proj.weight" }).click();
    await graph.selected("model.layers.0.mlp.down_proj");
  });

  describe("where there are no samples", () => {
    test("the structure is whole, and the page says why there is no time", async () => {
      const graph = new Graph(await rig().page(`/t/graph/models/${other}`));
      await graph.tree.waitFor();
      await until("the note", () => graph.page.getByTestId("times-note").textContent().catch(() => ""), (text) => text === "No samples in this time range name a module of this model.");
      expect(await graph.box("model.layers.0").textContent()).toContain("float8_e4m3fn");
    });
  });
}

class Graph {
  readonly page: Page;
  readonly tree: Locator;

  constructor(page: Page) {
    this.page = page;
    this.tree = page.getByTestId("module-graph");
  }

  box(path: string): Locator {
    return this.page.locator(`[data-testid=module-box][data-path="${path}"]`);
  }

  async paths(): Promise<string[]> {
    return await this.page.getByTestId("module-box").evaluateAll((boxes) => boxes.map((box) => box.getAttribute("data-path")!));
  }

  async selected(path: string): Promise<void> {
    await until(`${path || "the root"} selected`, () => this.box(path).getAttribute("data-selected").catch(() => null), (selected) => selected === "true");
  }

  async links(): Promise<number> {
    return Number(await this.page.getByTestId("alias-links").getAttribute("data-count"));
  }

  // A click beside all boxes.
  async ground(): Promise<void> {
    const area = (await this.tree.boundingBox())!;
    await this.page.mouse.click(area.x + 8, area.y + area.height - 8);
  }

  param(key: string): string | null {
    return new URL(this.page.url()).searchParams.get(key);
  }
}
