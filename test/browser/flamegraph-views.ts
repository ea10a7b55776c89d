// The stacks looked at in other ways: layers folded, leaf first, and the callers and callees of one frame. Each is what the API answers, and is in the URL.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { collapseRecursion } from "#core/flamegraph/collapse-recursion.ts";
import { groupChains } from "#core/flamegraph/group-chains.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { type Box, FlamegraphPage, type Graph } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";
import { expectDrawn } from "./flamegraph.ts";

export function flamegraphViews(rig: () => BrowserRig): void {
  const open = async (query = ""): Promise<FlamegraphPage> => {
    // Without the model beside the drawing, which would make it narrower while it is looked at.
    const view = new FlamegraphPage(await rig().page(`/t/demo/flamegraph?pane=closed${query.replace("?", "&")}`));
    await view.drawn();
    return view;
  };
  const answer = async (query: Record<string, string> = {}): Promise<Graph> => await rig().stack.demo.get("flamegraph", { query });
  const press = async (view: FlamegraphPage, testId: string) => await view.page.getByTestId(testId).click();
  const names = (boxes: readonly Box[]) => new Set(boxes.map(({ name }) => name));
  const drawnAs = async (view: FlamegraphPage, what: string, graph: Graph) =>
    expectDrawn(await view.boxes(what, (boxes) => boxes.length > 0 && boxes.every(({ node, name }) => graph.frames.name[graph.nodes.frame[node]!] === name)), graph, await view.width());

  test("layers of all blocks fold into one frame that says of how many, with the total as it was", async () => {
    const view = await open();
    const total = await view.data(view.summary, "total");
    await press(view, "layers-fold");
    const boxes = await view.boxes("one frame for four layers", (all) => names(all).has("Qwen3DecoderLayer layers.*"));
    expect([...names(boxes)].filter((name) => /layers\.\d/.test(name))).toEqual([]);
    await drawnAs(view, "the folded answer", await answer({ layers: "fold" }));
    expect([view.params.get("layers"), await view.data(view.summary, "total")]).toEqual(["fold", total]);
    const layer = await view.box("Qwen3DecoderLayer layers.*");
    await view.hover(layer);
    expect(await view.tooltip.textContent()).toContain("Qwen3DecoderLayer layers.* ×4");
    await view.click(layer);
    expect(await view.page.getByTestId("flamegraph-details").textContent()).toContain("Qwen3DecoderLayer layers.* ×4");
    await view.page.reload();
    await view.boxes("the same after a reload", (all) => names(all).has("Qwen3DecoderLayer layers.*"));
    // A kind that is taken out leaves the layers folded.
    await view.tree.press("0");
    await view.page.getByTestId("legend-python").click();
    await until("Python hidden", () => view.params.get("hide"), (hide) => hide === "python");
    expect(view.params.get("layers")).toBe("fold");
    await view.tree.press("f");
    await view.boxes("the layers apart again", (all) => names(all).has("Qwen3DecoderLayer layers.1"));
    expect(view.params.get("layers")).toBeNull();
  });

  test("leaf first is the answer turned over", async () => {
    const view = await open();
    await press(view, "invert");
    await until("leaf first", () => view.params.get("invert"), (invert) => invert === "1");
    const graph = await answer({ invert: "1" });
    await view.boxes("an operator below the root", (boxes) => boxes.some(({ y, kind }) => y === 20 && kind === "op"));
    await drawnAs(view, "the inverted answer", graph);
    await view.tree.press("i");
    await view.boxes("the root first again", (boxes) => boxes.some(({ y, kind }) => y === 20 && kind !== "op"));
    expect(view.params.get("invert")).toBeNull();
  });

  test("recursion collapses and chains group: the same totals, the same frame in focus, and a search finds what is inside a chain", async () => {
    const view = await open();
    const graph = await answer();
    const total = await view.data(view.summary, "total");
    await view.click(await view.box("Qwen3DecoderLayer layers.1"));
    await until("a focus", () => view.params.get("focus"), (focus) => focus !== null);
    await view.tree.press("r");
    await until("no recursion", () => view.params.get("recursion"), (found) => found === "collapse");
    const collapsed = { ...graph, ...collapseRecursion(graph) };
    const layer = collapsed.nodes.frame.findIndex((frame) => graph.frames.name[frame] === "Qwen3DecoderLayer layers.1");
    await view.focusIs(layer);
    await view.tree.press("0");
    await drawnAs(view, "the collapsed answer", collapsed);
    await press(view, "chains");
    const grouped = { ...graph, ...groupChains(collapsed) };
    await drawnAs(view, "the grouped answer", grouped);
    const chain = grouped.chain!.findIndex((frames) => frames > 2);
    await view.hover((await view.drawn()).find(({ node }) => node === chain)!);
    const inside = grouped.placeOf.indexOf(chain);
    expect(await view.tooltip.textContent()).toContain(`(${grouped.chain![chain]}) `);
    await view.page.getByTestId("flamegraph-search").fill(graph.frames.name[collapsed.nodes.frame[inside]!]!);
    await view.page.getByTestId("flamegraph-search").press("Enter");
    await until("the chain that holds it", () => view.data(view.selected, "node"), (node) => node === String(chain));
    expect(await view.data(view.summary, "total")).toBe(total);
    await view.page.reload();
    await drawnAs(view, "the same after a reload", grouped);
  });

  test("fills say the role of the module, its block or the self time, and a key says what they mean", async () => {
    const view = await open();
    const attention = await view.box("Qwen3Attention self_attn");
    const at = () => view.pixel(attention.x + attention.width - 3, attention.y + 12);
    await view.page.getByTestId("colour-by").selectOption("role");
    await until("the role's colour", at, (pixel) => pixel.join() === "221,160,107");
    expect(await view.page.getByTestId("colour-key").textContent()).toContain("Attention");
    expect(view.params.get("colour")).toBe("role");
    await view.page.reload();
    await view.box("Qwen3Attention self_attn");
    await until("the role's colour after a reload", at, (pixel) => pixel.join() === "221,160,107");
    await view.page.getByTestId("colour-by").selectOption("");
    await view.page.getByTestId("colour-key").waitFor({ state: "detached" });
  });

  test("the graph from the model on leaves out what is above it", async () => {
    const view = await open();
    await press(view, "from-model");
    const boxes = await view.boxes("the model below the root", (all) => all.some(({ y, name }) => y === 20 && name === "qwen3-demo"));
    expect(boxes.filter(({ y }) => y === 20)).toHaveLength(1);
    expect(await view.page.getByTestId("from-model").count()).toBe(0);
    await press(view, "around-leave");
    await view.boxes("all stacks", (all) => all.some(({ y, kind }) => y === 20 && kind === "python"));
  });

  test("callers and callees of a frame are asked for anew, and all stacks come back", async () => {
    const view = await open("?layers=fold");
    const graph = await answer({ layers: "fold" });
    const frame = graph.frames.id[graph.frames.name.indexOf("Qwen3MLP mlp")]!;
    await view.page.getByTestId("flamegraph-search").fill("Qwen3MLP");
    await view.page.getByTestId("flamegraph-search").press("Enter");
    await view.page.getByTestId("flamegraph-details").getByRole("button", { name: "Callers" }).click();
    const callers = await answer({ layers: "fold", frame, side: "callers" });
    await view.boxes("the frame below the root", (boxes) => boxes.some(({ y, name }) => y === 20 && name === "Qwen3MLP mlp"));
    await drawnAs(view, "its callers", callers);
    expect(await view.page.getByTestId("around").textContent()).toContain("of Qwen3MLP mlp");
    expect(await view.page.getByTestId("of-whole").getAttribute("title")).toContain(`${callers.whole.toLocaleString("en-US")} ns`);
    await press(view, "side-callees");
    await until("its callees", () => view.data(view.summary, "total"), (total) => total === String(callers.total));
    await drawnAs(view, "its callees", await answer({ layers: "fold", frame, side: "callees" }));
    expect(view.params.get("frame")).toBe(frame);
    await press(view, "around-leave");
    await until("all stacks", () => view.data(view.summary, "total"), (total) => total === String(graph.total));
    expect(view.params.get("frame")).toBeNull();
    // The same with one key: callers, callees, and back.
    await view.click(await view.box("Qwen3MLP mlp"));
    for (const side of ["callers", "callees", null]) {
      await view.tree.press("s");
      await until(`the side ${side}`, () => view.params.get("side"), (found) => found === side);
    }
  });

  test("the table is what the whole selection goes to, by what is chosen; a row leads to what calls it", async () => {
    const view = await open();
    await press(view, "view-table");
    const table = view.page.getByTestId("top-table");
    const shown = async () => await view.page.getByTestId("top-row").evaluateAll((rows) => rows.map((row) => [row.getAttribute("data-key"), row.getAttribute("data-value"), row.getAttribute("data-self")]));
    const isTop = async (by: "function" | "module", sort: "total" | "self") => {
      const { rows } = await rig().stack.demo.get("flamegraphTop", { query: { by, sort } });
      const expected = rows.map((row) => [row.key, String(row.total), String(row.self)]);
      expect(await until(`the table by ${by}, ${sort}`, shown, (found) => JSON.stringify(found) === JSON.stringify(expected))).toEqual(expected);
      return rows;
    };
    await isTop("function", "total"); // CPU operator time: by functions first
    expect(await view.data(table, "total")).toBe(await view.data(view.summary, "total"));
    await press(view, "top-sort-self");
    await isTop("function", "self");
    await view.page.getByTestId("top-by").selectOption("module");
    const [row] = await isTop("module", "self");
    expect([view.params.get("view"), view.params.get("by"), view.params.get("sort")]).toEqual(["table", "module", "self"]);
    expect(await view.page.getByTestId("top-left").textContent()).toMatch(/^(In no module|.* more)/);
    await view.page.reload();
    await isTop("module", "self");
    await view.page.getByTestId("top-row").first().getByRole("button").click();
    const callers = await answer({ frame: row!.frame, side: "callers" });
    await until("its callers", () => view.data(view.summary, "total"), (total) => total === String(callers.total));
    await drawnAs(view, "its callers", callers);
    await view.tree.press("t");
    await until("the table again", () => view.params.get("view"), (shownAs) => shownAs === "table");
  });

  test("what is shown is saved as a file, as it is shown", async () => {
    const view = await open("?layers=fold");
    await press(view, "export");
    const [download] = await Promise.all([view.page.waitForEvent("download"), press(view, "export-folded")]);
    expect(download.suggestedFilename()).toMatch(/^lamella-cpu_op-[0-9a-f]{12}\.folded$/);
    const saved = readFileSync(await download.path(), "utf8");
    expect(saved).toContain("Qwen3DecoderLayer layers.*");
    expect(saved).not.toMatch(/layers\.\d/);
    const total = saved.trim().split("\n").filter((line) => !line.startsWith("#")).reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
    expect(String(total)).toBe(await view.data(view.summary, "total"));
    await view.page.getByTestId("export-dialog").waitFor({ state: "detached" });
  });

  test("a frame that is in no stack of the selection is said to be so, with the way back", async () => {
    const view = new FlamegraphPage(await rig().page("/t/demo/flamegraph?frame=16&side=callers"));
    await until("what is missing", () => view.page.getByTestId("around").textContent(), (text) => text?.includes("a frame that is not in this selection") === true);
    await press(view, "around-leave");
    await view.boxes("all stacks", (boxes) => boxes.length > 10);
  });
}
