// The public H100 trace: the figures of the import report, and 24 layers that stay apart.
import { beforeAll, expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";
import type { Client } from "#test/rig/client.ts";
import { FlamegraphPage } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";
import { expectColours, expectDrawn } from "./flamegraph.ts";

export function gpuTrace(rig: () => BrowserRig, file: string): void {
  let client: Client;
  beforeAll(async () => {
    client = await rig().tenant("h100");
    await rig().import(client, file, "Qwen1.5-0.5B-Chat");
  });
  const open = async (query = ""): Promise<FlamegraphPage> => new FlamegraphPage(await rig().page(`/t/h100/flamegraph${query}`));

  test("45.43 ms in 1,465 launches, 30.1 % of it launched before the capture, and the paths are marked as inferred", async () => {
    const view = await open();
    await view.drawn();
    expect(await view.summary.textContent()).toMatch(/45\.43 ms GPU time.*1,465 launches.*NVIDIA H100 80GB HBM3.*30\.1 % without a layer.*paths inferred/s);
    expect(await view.data(view.summary, "count")).toBe("1465");
    await view.hover(await view.box("(launched before capture)"));
    expect(await view.tooltip.textContent()).toMatch(/13\.67 ms.*Launches436/s);
    await expectColours(view, ["layer", "python", "gpu_api", "gpu_kernel"]);
  });

  test("24 Qwen2DecoderLayer frames, each a box of its own", async () => {
    const view = await open("?search=Qwen2DecoderLayer");
    const layers = (await view.drawn()).filter((box) => box.name.startsWith("Qwen2DecoderLayer"));
    expect(layers.map((box) => box.name).sort()).toEqual(Array.from({ length: 24 }, (_, i) => `Qwen2DecoderLayer[${i}]`).sort());
    const found = view.page.getByTestId("search-summary");
    expect(await view.data(found, "frames")).toBe("24");
    const graph = await client.get("flamegraph");
    const ofLayers = graph.nodes.frame.map((frame, node) => (graph.frames.name[frame]!.startsWith("Qwen2DecoderLayer[") ? graph.nodes.total[node]! : 0)).reduce((sum, total) => sum + total, 0);
    expect(await view.data(found, "total")).toBe(String(ofLayers)); // siblings: nothing is inside another
    await view.click(layers.find((box) => box.name === "Qwen2DecoderLayer[6]")!);
    await view.boxes("the layer's kernels", (all) => all.filter((one) => one.kind === "gpu_kernel" && one.width > 24).length > 5);
    expect(await view.page.getByTestId("flamegraph-details").textContent()).toContain("Qwen2Model[0].Qwen2DecoderLayer[6]");
    // An inferred path is no link to a model's page.
    expect(await view.page.getByTestId("flamegraph-details").getByRole("link").count()).toBe(0);
  });

  test("without layers the 24 become one stack with the same total", async () => {
    const view = await open();
    await view.drawn();
    const total = await view.data(view.summary, "total");
    await view.page.getByTestId("legend-layer").click();
    const boxes = await view.boxes("no layers", (all) => all.length > 0 && all.every((one) => one.kind !== "layer"));
    expectDrawn(boxes, await client.get("flamegraph", { query: { layers: "hide" } }), await view.width());
    expect([await view.data(view.summary, "total"), await view.data(view.summary, "count")]).toEqual([total, "1465"]);
  });

  test("a filter by kernel narrows to what has such a kernel", async () => {
    const view = await open();
    await view.drawn();
    await view.page.getByTestId("filter").fill('kernel.name.contains("flash")');
    await view.page.getByTestId("filter").press("Enter");
    const { total } = await client.get("flamegraph", { query: { filter: 'kernel.name.contains("flash")' } });
    await until("the narrowed total", () => view.data(view.summary, "total"), (shown) => shown === String(total));
    expect(total).toBeGreaterThan(0);
  });

  test("its profiler and architecture: 24 layers in one row, each apart in the map", async () => {
    const { executions: [execution] } = await client.get("executions");
    const page = await rig().page(`/t/h100/executions/${execution!.id}`);
    const layers = page.locator('[data-testid="module-row"][data-path="Qwen2Model[0].Qwen2DecoderLayer[0]"]');
    await layers.waitFor();
    expect((await layers.locator("[data-numeric]").allTextContents()).slice(0, 4)).toEqual(["31.53 ms", "99.3 %", "69.4 %", "24"]);
    expect(await page.getByTestId("run-mode").getAttribute("data-mode")).toBe("eager");
    await page.getByTestId("view-layers").click();
    expect(await page.getByTestId("layer-heatmap").getAttribute("aria-colcount")).toBe("25");
    await page.getByTestId("view-architecture").click();
    await page.getByTestId("sidebar-layer").nth(23).waitFor();
    await page.goto(`/t/h100/flamegraph?execution=${execution!.id}`);
    await page.getByTestId("to-execution").click();
    await layers.waitFor();
  });
}
