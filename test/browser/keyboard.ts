// The flamegraph without a mouse.
import { expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";
import { FlamegraphPage, indexOf } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";

export function keyboard(rig: () => BrowserRig): void {
  const open = async (): Promise<FlamegraphPage> => {
    const view = new FlamegraphPage(await rig().page("/t/demo/flamegraph"));
    await view.drawn();
    return view;
  };
  const selectedIs = (view: FlamegraphPage, node: number) => until(`node ${node} selected`, () => view.data(view.selected, "node"), (found) => found === String(node));

  test("arrows walk callers, callees and siblings; Enter focuses; Escape and 0 lead out", async () => {
    const view = await open();
    const graph = await rig().stack.demo.get("flamegraph");
    const index = indexOf(graph);
    // Tab reaches the drawing.
    for (let tabs = 0; tabs < 40 && (await view.treeInFocus.count()) === 0; tabs++) await view.page.keyboard.press("Tab");
    await view.tree.press("ArrowDown");
    await selectedIs(view, 0); // the first key selects where one stands
    const branch = graph.nodes.parent.findIndex((above, node) => above >= 0 && index.end[node]! < index.end[above]!); // the first node with a sibling to its right
    for (let node = 1; node <= branch; node++) await view.tree.press("ArrowDown");
    await selectedIs(view, branch);
    await view.tree.press("ArrowRight");
    await selectedIs(view, index.end[branch]!);
    await view.tree.press("ArrowLeft");
    await selectedIs(view, branch);
    await view.tree.press("ArrowUp");
    await selectedIs(view, graph.nodes.parent[branch]!);
    await view.tree.press("ArrowDown");
    await selectedIs(view, branch);
    expect(await view.selected.getAttribute("aria-level")).toBe(String(index.depth[branch]! + 1));
    expect(await view.selected.textContent()).toContain(graph.frames.name[graph.nodes.frame[branch]!]);
    await view.tree.press("Enter");
    await view.focusIs(branch);
    await view.tree.press("Escape");
    await view.focusIs(0);
    await view.tree.press("Enter");
    await view.focusIs(branch);
    await view.tree.press("0");
    await view.focusIs(0);
    await view.tree.press("Escape");
    await until("nothing selected", () => view.selected.getAttribute("aria-selected"), (selected) => selected === "false");
  });

  test("/ searches, n and N step, m hides the layers, ? lists the keys, + zooms, c copies the name", async () => {
    const view = await open();
    await view.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await view.tree.focus();
    await view.page.keyboard.press("/");
    await view.page.keyboard.type("mlp");
    await until("matches", () => view.data(view.page.getByTestId("search-summary"), "frames"), (frames) => Number(frames) >= 4);
    await view.page.keyboard.press("Escape"); // empties the box
    await view.page.keyboard.press("Escape"); // and leaves it
    await view.treeInFocus.waitFor();
    await view.page.keyboard.press("/");
    await view.page.keyboard.type("lm_head");
    await view.page.keyboard.press("Enter");
    await until("the match selected", () => view.data(view.selected, "name"), (name) => name === "Linear lm_head");
    await view.tree.focus();
    await view.page.keyboard.press("c");
    await until("the name on the clipboard", () => view.page.evaluate<string>("navigator.clipboard.readText()"), (text) => text === "Linear lm_head");
    await view.page.keyboard.press("m");
    await view.boxes("no layers", (all) => all.length > 0 && all.every((one) => one.kind !== "layer"));
    await view.page.keyboard.press("m");
    await view.boxes("layers", (all) => all.some((one) => one.kind === "layer"));
    const before = (await view.drawn()).find((one) => one.name === "Qwen3Model model")!;
    await view.page.keyboard.press("+");
    await view.boxes("a closer view", (all) => all.some((one) => one.node === before.node && one.width !== before.width));
    await view.page.keyboard.press("?");
    const sheet = view.page.getByTestId("keyboard-sheet");
    await sheet.waitFor();
    expect(await sheet.textContent()).toContain("Show or hide Model Layer frames");
    await view.page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await view.page.keyboard.press("g");
    await view.page.keyboard.press("m");
    await view.page.waitForURL("**/t/demo/models*");
  });

  test("wheel and drag move the view, and never the answer", async () => {
    const view = await open();
    const total = await view.data(view.summary, "total");
    const box = await view.box("Linear lm_head");
    await view.hover(box);
    await view.page.keyboard.down("Control");
    await view.page.mouse.wheel(0, -400);
    await view.page.keyboard.up("Control");
    const wide = (await view.boxes("a closer view", (all) => all.some((one) => one.node === box.node && one.width > box.width * 1.5))).find((one) => one.node === box.node)!;
    await view.page.mouse.down();
    await view.page.mouse.move(900, 400, { steps: 4 });
    await view.page.mouse.up();
    await view.boxes("a moved view", (all) => !all.some((one) => one.node === box.node && one.x === wide.x));
    expect(view.params.get("focus")).toBeNull(); // a drag is no click
    expect(await view.data(view.summary, "total")).toBe(total);
  });
}
