// From a frame to the model: the enclosing module marked `parent`, its copies, and why there is none where there is none.
import { expect, test } from "vitest";
import { pathTo } from "#core/flamegraph/tree-index.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { FlamegraphPage, type Box } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";

export function frameToModel(rig: () => BrowserRig): void {
  const open = async (query = ""): Promise<FlamegraphPage> => {
    const view = new FlamegraphPage(await rig().page(`/t/demo/flamegraph${query}`));
    await view.drawn();
    return view;
  };
  const demo = async (query: Record<string, string> = {}) => await rig().stack.demo.get("flamegraph", { query });
  const pane = (view: FlamegraphPage) => view.page.getByTestId("module-pane");
  const marked = (view: FlamegraphPage) => pane(view).getByText("parent", { exact: true }).first().locator("..").textContent();
  // A box within the first screen.
  const pick = async (view: FlamegraphPage, what: string, is: (box: Box) => boolean) => (await view.boxes(what, (boxes) => boxes.some((box) => is(box) && box.y < 350))).find((box) => is(box) && box.y < 350)!;

  test("an operator shows the module that launched it, and the modules around that", async () => {
    const view = await open();
    const graph = await demo();
    const op = await pick(view, "an operator", ({ kind }) => kind === "op");
    await view.click(op);
    const layers = pathTo(graph.nodes.parent, op.node).filter((node) => graph.frames.kind[graph.nodes.frame[node]!] === "layer");
    const parent = graph.nodes.frame[layers.at(-1)!]!;
    await pane(view).waitFor();
    expect(await pane(view).getByTestId("enclosing-module").textContent()).toBe(graph.frames.modulePath[parent]);
    expect(await marked(view)).toBe(`parent${graph.frames.name[parent]}`);
    expect(await pane(view).getByTestId("module-chain").locator("li").count()).toBe(layers.length);
    // The model's graph, opened on it.
    await pane(view).getByTestId("embedded-graph").waitFor();
    await until("the module marked in the graph", () => pane(view).getByTestId("embedded-graph").textContent(), (text) => text?.includes("parent") === true);
    await pane(view).getByTestId("open-module").click();
    await view.page.waitForURL(new RegExp(`/models/${graph.frames.modelKey[parent]}\\?.*path=${graph.frames.modulePath[parent]}`));
  });

  test("a layer shows itself and how its copies compare; selecting a module around it selects its frame", async () => {
    const view = await open("?search=Qwen3MLP");
    const graph = await demo();
    await view.page.getByTestId("flamegraph-search").press("Enter");
    const node = Number(await until("the match", () => view.data(view.selected, "node"), (found) => graph.frames.name[graph.nodes.frame[Number(found)]!] === "Qwen3MLP mlp"));
    const path = graph.frames.modulePath[graph.nodes.frame[node]!]!;
    expect(await pane(view).textContent()).toContain("the layer itself");
    const { groups } = await rig().stack.demo.get("moduleFrames", { query: { module_path: "model.layers.*.mlp" } });
    await until("its copies", () => pane(view).getByTestId("module-copies").getAttribute("data-copies"), (copies) => copies === String(groups[0]!.copies.n));
    expect(groups[0]!.copies.n).toBe(4);
    const row = groups[0]!.rows.find(({ modulePath }) => modulePath === path)!;
    expect(await pane(view).getByTestId("module-copies").locator("li", { hasText: "parent" }).textContent()).toContain(`${(row.total / groups[0]!.copies.median).toFixed(2)}×`);
    await pane(view).getByRole("button", { name: "Qwen3Model model" }).click();
    await until("the model's frame", () => view.data(view.selected, "name"), (name) => name === "Qwen3Model model");
    await view.page.keyboard.press("p");
    await pane(view).waitFor({ state: "detached" });
    expect(view.params.get("pane")).toBe("closed");
  });

  test("where the drawing does not say the module, those that the frame lies in are asked for", async () => {
    const view = await open("?layers=hide");
    const graph = await demo({ layers: "hide" });
    const op = await pick(view, "an operator", ({ kind }) => kind === "op");
    await view.click(op);
    const { modules } = await rig().stack.demo.get("frameModules", { query: { frame: graph.frames.id[graph.nodes.frame[op.node]!]!, limit: "20" } });
    const rows = pane(view).getByTestId("frame-modules").locator("li");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(modules.length);
    expect(await pane(view).getByTestId("enclosing-module").textContent()).toBe(modules[0]!.modulePath);
  });

  test("outside every module it says so", async () => {
    const view = await open();
    await view.click((await view.drawn()).find(({ kind }) => kind === "python")!);
    await until("the reason", () => pane(view).textContent(), (text) => text?.includes("inside no module of a model") === true);
  });
}
