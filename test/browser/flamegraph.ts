// The flamegraph of the demo recording: what is drawn is what the API answered, box for box and colour for colour; and the whole view is in the URL.
import { expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";
import { type Box, FlamegraphPage, type Graph, hitsOf, indexOf } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";

// design: one set of fills for both themes; inside a kind the lightness varies by at most 3 %.
const fills: Record<string, [number, number, number]> = { layer: [0xd7, 0xc3, 0xff], python: [0x7b, 0xa6, 0xc8], gpu_api: [0xe5, 0xde, 0x44], gpu_kernel: [0xeb, 0xb1, 0x6e], op: [0xc2, 0xad, 0x93] };
const shade = Math.ceil(0.03 * 255);
const layerEdge = [0x6b, 0x46, 0xd6];

export const exact = (value: number): string => value.toLocaleString("en-US");

// Every box on screen is a node of the answer: its name and kind, and its place and width to the pixel.
export function expectDrawn(boxes: readonly Box[], graph: Graph, width: number): void {
  const index = indexOf(graph);
  const scale = width / graph.nodes.total[0]!;
  for (const box of boxes) {
    const frame = graph.nodes.frame[box.node]!;
    expect({ name: box.name, kind: box.kind }).toEqual({ name: graph.frames.name[frame], kind: graph.frames.kind[frame] });
    expect(Math.abs(box.x - index.offset[box.node]! * scale), `left edge of ${box.name}`).toBeLessThanOrEqual(1);
    expect(Math.abs(box.width - graph.nodes.total[box.node]! * scale), `width of ${box.name}`).toBeLessThanOrEqual(1);
    expect(box.y).toBe(index.depth[box.node]! * 20);
  }
}

// One box of every kind that is drawn wide enough has its kind's colour, and layers their darker top edge.
export async function expectColours(view: FlamegraphPage, kinds: readonly string[]): Promise<void> {
  const boxes = await view.drawn();
  for (const kind of kinds) {
    const box = boxes.find((one) => one.kind === kind && one.width > 30 && one.y < 500); // whole on screen
    if (box === undefined) throw new Error(`no wide ${kind} box among ${boxes.length}`);
    const pixel = await view.pixel(box.x + box.width - 3, box.y + 12);
    for (const [i, channel] of pixel.entries()) expect(Math.abs(channel - fills[kind]![i]!), `${kind} at ${box.x},${box.y} is ${pixel.join()}`).toBeLessThanOrEqual(shade);
    if (kind === "layer") expect(await view.pixel(box.x + box.width - 3, box.y + 1)).toEqual(layerEdge);
  }
}

export function flamegraph(rig: () => BrowserRig): void {
  const open = async (query = ""): Promise<FlamegraphPage> => new FlamegraphPage(await rig().page(`/t/demo/flamegraph${query}`));
  const answer = async (query: Record<string, string> = {}): Promise<Graph> => await rig().stack.demo.get("flamegraph", { query });

  test("the first page after signing in shows the demo and says what it is", async () => {
    const view = await open();
    const graph = await answer();
    await view.drawn();
    expect(await view.data(view.summary, "total")).toBe(String(graph.total));
    expect(await view.data(view.summary, "count")).toBe(String(graph.nodes.count[0]));
    expect(await view.summary.textContent()).toMatch(/ ms CPU operator time.*demo: a small Qwen3, recorded on a CPU · recorded on CPU/s);
    expect(await view.page.getByTestId("execution-notice").textContent()).toContain("No live samples in this time range");
    expect(await view.page.title()).toBe("Flamegraph · Lamella");
    expect(await view.page.getByTestId("legend").getByRole("button").allTextContents()).toEqual(["Model Layer", "Python", "Operator"]);
  });

  test("every box is a node of the answer, to the pixel", async () => {
    const view = await open();
    const boxes = await view.drawn();
    expect(boxes.length).toBeGreaterThan(80);
    expectDrawn(boxes, await answer(), await view.width());
    expect(boxes.filter((one) => one.name.startsWith("Qwen3DecoderLayer layers.")).map((one) => one.name).sort()).toEqual([0, 1, 2, 3].map((i) => `Qwen3DecoderLayer layers.${i}`));
  });

  test.each(["light", "dark"] as const)("boxes have the colours of their kinds (%s)", async (theme) => {
    const view = await open();
    await view.page.getByTestId(`theme-${theme}`).click();
    await until("the theme", () => view.data(view.canvas, "theme"), (shown) => shown === theme);
    await expectColours(view, ["layer", "python", "op"]);
    const lowest = Math.max(...(await view.drawn()).map((box) => box.y));
    const ground = await view.pixel((await view.width()) - 2, lowest);
    expect(ground).toEqual(theme === "light" ? [255, 255, 255] : [0x0e, 0x11, 0x16]);
    await view.page.reload();
    await view.drawn();
    expect(await view.data(view.canvas, "theme")).toBe(theme);
    await view.page.getByTestId("theme-system").click();
  });

  test("the pointer shows exact values", async () => {
    const view = await open();
    const graph = await answer();
    const box = await view.box("Linear lm_head");
    await view.hover(box);
    const text = await view.tooltip.textContent();
    expect(text).toContain("Linear lm_head");
    expect(text).toContain("Model Layer");
    expect(text).toContain(`${exact(graph.nodes.total[box.node]!)} ns`);
    expect(text).toContain(`Calls${exact(graph.nodes.count[box.node]!)}`);
    expect(text).toContain("Module lm_head");
    await view.page.mouse.move(10, 10);
    await view.tooltip.waitFor({ state: "detached" });
  });

  test("the pointer rests on a frame while layers go: the drawing stays", async () => {
    const view = await open();
    const last = (await view.drawn()).filter(({ y }) => y < 400).reduce((one, other) => (other.node > one.node ? other : one));
    await view.hover(last); // there are fewer nodes than its number without layers
    await view.tree.focus();
    await view.page.keyboard.press("m");
    await view.boxes("no layers", (all) => all.length > 0 && all.every((one) => one.kind !== "layer"));
  });

  test("a click focuses a frame at full width; Escape, 0, empty ground and the back button lead out", async () => {
    const view = await open("?pane=closed");
    const width = await view.width();
    const layer = await view.box("Qwen3DecoderLayer layers.1");
    await view.click(layer);
    await view.boxes("the layer at full width", (boxes) => boxes.some((one) => one.node === layer.node && one.x === 0 && Math.abs(one.width - width) <= 1));
    await view.focusIs(layer.node);
    const link = view.page.url();
    expect(view.params.get("focus")).toMatch(/^[0-9a-z]+$/);
    expect(await view.page.getByTestId("flamegraph-details").textContent()).toContain("Qwen3DecoderLayer layers.1");

    await view.page.goBack();
    await view.focusIs(0);
    await view.page.goForward();
    await view.focusIs(layer.node);
    await view.page.reload();
    await view.focusIs(layer.node);
    await view.boxes("the same picture after a reload", (boxes) => boxes.some((one) => one.node === layer.node && Math.abs(one.width - width) <= 1));
    expect(view.page.url()).toBe(link);

    await view.tree.focus();
    for (let presses = 0; presses < 4 && view.params.get("focus") !== null; presses++) await view.tree.press("Escape");
    await view.focusIs(0);
    await view.click(await view.box("Linear lm_head"));
    await until("a focus", () => view.params.get("focus"), (focus) => focus !== null);
    await view.tree.press("0");
    await view.focusIs(0);
    await view.click(await view.box("Linear lm_head"));
    await until("a focus", () => view.params.get("focus"), (focus) => focus !== null);
    await view.page.goto(link);
    await view.focusIs(layer.node);
    const lowest = Math.max(...(await view.drawn()).map((box) => box.y));
    await view.tree.click({ position: { x: width - 3, y: lowest } });
    await view.focusIs(0);
  });

  test("a search shows the union share of the answer, and steps through the matches", async () => {
    const view = await open();
    const hits = hitsOf(await answer(), "Attention");
    await view.page.getByTestId("flamegraph-search").fill("Attention");
    const found = view.page.getByTestId("search-summary");
    await until("the search's result", () => view.data(found, "frames"), (frames) => frames === String(hits.nodes));
    expect(await view.data(found, "share")).toBe(String(hits.share));
    expect(await view.data(found, "total")).toBe(String(hits.total));
    expect(await found.textContent()).toContain(`Attention — ${exact(hits.nodes)} frames, ${(hits.share * 100).toFixed(1)} % of CPU operator time`);
    expect(view.params.get("search")).toBe("Attention");
    await view.page.getByTestId("flamegraph-search").press("Enter");
    const first = hits.matched.indexOf(1);
    await until("the first match", () => view.data(view.selected, "node"), (node) => node === String(first));
    await view.page.getByRole("button", { name: "Next match" }).click();
    await until("the second match", () => view.data(view.selected, "node"), (node) => node === String(hits.matched.indexOf(1, first + 1)));
    await view.page.getByTestId("flamegraph-search").fill("no such frame");
    await until("no match", () => found.textContent(), (text) => text?.includes("no frame matches") === true);
    await view.page.getByTestId("flamegraph-search").fill("/[/");
    await until("a mistake", () => found.textContent(), (text) => text?.includes("^^^") === true);
  });

  test("hiding Model Layer in the legend merges the layers: no layer is left, the total stays, the URL carries it", async () => {
    const view = await open();
    await view.drawn();
    const total = await view.data(view.summary, "total");
    await view.page.getByTestId("legend-layer").click();
    const boxes = await view.boxes("no layers", (all) => all.length > 0 && all.every((one) => one.kind !== "layer"));
    expectDrawn(boxes, await answer({ layers: "hide" }), await view.width());
    expect(await view.data(view.summary, "total")).toBe(total);
    expect(view.params.get("layers")).toBe("hide");
    await view.page.reload();
    await view.boxes("no layers after a reload", (all) => all.length > 0 && all.every((one) => one.kind !== "layer"));
    expect(await view.page.getByTestId("legend-layer").getAttribute("aria-pressed")).toBe("false");
    await view.page.goBack();
    await view.boxes("layers again", (all) => all.some((one) => one.kind === "layer"));
    await view.page.getByTestId("legend-python").click();
    const rest = await view.boxes("no Python", (all) => all.length > 0 && all.every((one) => one.kind !== "python"));
    expectDrawn(rest, await answer({ hide: "python" }), await view.width());
  });

  test("the picker chooses an execution, or live samples only", async () => {
    const view = await open();
    await view.drawn();
    const [execution] = (await rig().stack.demo.get("executions")).executions;
    const picker = view.page.getByTestId("execution-picker");
    await picker.selectOption(execution!.id);
    await until("the execution in the URL", () => view.params.get("execution"), (id) => id === execution!.id);
    await view.page.getByTestId("execution-notice").waitFor({ state: "detached" });
    expect(await view.data(view.summary, "total")).toBe(String((await answer({ execution: execution!.id })).total));
    await picker.selectOption("live");
    await view.page.getByTestId("no-samples").waitFor();
    expect(await view.page.getByTestId("no-samples").textContent()).toContain("No samples in this time range");
    await view.page.goBack();
    await view.drawn();
  });
}
