// A frame's menu: by right click and by key, what it does to the URL and the clipboard, and that it is a menu to whoever cannot see it.
import { expect, test } from "vitest";
import { pathTo } from "#core/flamegraph/tree-index.ts";
import type { BrowserRig } from "#test/rig/browser.ts";
import { type Box, FlamegraphPage } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";

export function flamegraphMenu(rig: () => BrowserRig): void {
  const open = async (query = ""): Promise<FlamegraphPage> => {
    const view = new FlamegraphPage(await rig().page(`/t/demo/flamegraph${query}`));
    await view.drawn();
    await view.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    return view;
  };
  const menuOf = async (view: FlamegraphPage, box: Box) => {
    await view.tree.click({ button: "right", position: { x: box.x + box.width / 2, y: box.y + 10 } });
    await view.page.getByTestId("frame-menu").waitFor();
  };
  const choose = async (view: FlamegraphPage, name: string) => await view.page.getByRole("menuitem", { name, exact: true }).click();
  const param = async (view: FlamegraphPage, name: string, value: string | null) => void (await until(`${name}=${value}`, () => view.params.get(name), (found) => found === value));
  const clipboard = (view: FlamegraphPage) => view.page.evaluate<string>("navigator.clipboard.readText()");
  const inFocus = (view: FlamegraphPage) => view.page.evaluate<string>("document.activeElement.textContent");

  test("a right click selects the frame and offers what can be done with it", async () => {
    const view = await open();
    const box = await view.box("Qwen3DecoderLayer layers.1");
    await menuOf(view, box);
    expect(await view.data(view.selected, "name")).toBe("Qwen3DecoderLayer layers.1");
    expect(await view.page.getByRole("menuitem").allTextContents()).toEqual(["FocusEnter", "What calls its", "What it calls", "Filter: only stacks with it", "Filter: no stacks with it", "Hide Model Layer frames", "Copy the namec", "Copy the stackShift C", "Copy a link to it", "Show in the table", "Open the module in its model"]);
    await choose(view, "Filter: only stacks with it");
    await param(view, "filter", 'module.path == "model.layers.1"');
    const { total } = await rig().stack.demo.get("flamegraph", { query: { filter: 'module.path == "model.layers.1"' } });
    await until("the filtered total", () => view.data(view.summary, "total"), (found) => found === String(total));
    await view.boxes("one layer", (boxes) => !boxes.some(({ name }) => name === "Qwen3DecoderLayer layers.2"));
    await menuOf(view, await view.box("Qwen3MLP mlp"));
    await choose(view, "Filter: no stacks with it");
    await param(view, "filter", 'module.path == "model.layers.1" && !(module.path == "model.layers.1.mlp")');
    await view.boxes("no MLP", (boxes) => boxes.length > 0 && !boxes.some(({ name }) => name === "Qwen3MLP mlp"));
  });

  test("the keyboard opens it, walks it and leaves it where it was", async () => {
    const view = await open();
    await view.click(await view.box("Linear lm_head"));
    await view.tree.focus();
    await view.tree.press("Shift+F10");
    const menu = view.page.getByTestId("frame-menu");
    await menu.waitFor();
    expect(await menu.getAttribute("aria-label")).toBe("Frame Linear lm_head");
    expect(await inFocus(view)).toContain("Focus");
    const walk = [["ArrowUp", "Open the module"], ["Home", "Focus"], ["End", "Open the module"], ["ArrowDown", "Focus"], ["h", "Hide Model Layer"], ["Home", "Focus"], ["s", "Show in the table"], ["Home", "Focus"], ["f", "Filter: only"], ["f", "Filter: no"], ["f", "Focus"], ["Home", "Focus"], ["c", "Copy the name"], ["o", "Copy the name"]] as const;
    for (const [key, expected] of walk) {
      await view.page.keyboard.press(key);
      expect(await inFocus(view), key).toContain(expected);
    }
    await view.page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await view.treeInFocus.waitFor();
    expect([view.params.get("layers"), view.params.get("view")]).toEqual([null, null]); // h, s and f were letters, no commands
    await view.tree.press("Shift+F10");
    await menu.waitFor();
    await view.page.mouse.click(400, 300); // beside it: closes, and focuses nothing else
    await menu.waitFor({ state: "detached" });
    expect(await view.data(view.selected, "name")).toBe("Linear lm_head");
  });

  test("a name, a stack and a link are copied whole", async () => {
    const view = await open();
    const graph = await rig().stack.demo.get("flamegraph");
    const box = await view.box("Qwen3MLP mlp");
    await menuOf(view, box);
    await choose(view, "Copy the stack");
    const names = pathTo(graph.nodes.parent, box.node).slice(1).map((node) => graph.frames.name[graph.nodes.frame[node]!]!);
    const stack = await until("the stack on the clipboard", () => clipboard(view), (text) => text.includes("\n"));
    const lines = stack.split("\n");
    expect(lines).toHaveLength(names.length);
    lines.forEach((line, at) => expect(line.startsWith(names[at]!)).toBe(true));
    await menuOf(view, box);
    await choose(view, "Copy the name");
    await until("the name", () => clipboard(view), (text) => text === "Qwen3MLP mlp");
    await view.tree.press("Shift+C");
    await until("the stack again", () => clipboard(view), (text) => text === stack);
    await menuOf(view, box);
    await choose(view, "Copy a link to it");
    const link = await until("the link", () => clipboard(view), (text) => text.startsWith("http"));
    await view.page.goto(link);
    await view.focusIs(box.node);
  });

  test("to the table, with the row marked; to the callers; to the model", async () => {
    const view = await open();
    await menuOf(view, await view.box("Linear lm_head"));
    await choose(view, "Show in the table");
    await param(view, "by", "module");
    const marked = view.page.locator("[data-testid=top-row][data-match=true]");
    await marked.waitFor();
    expect(await marked.textContent()).toContain("lm_head");
    await view.page.goto(new URL("/t/demo/flamegraph", rig().url).href);
    await menuOf(view, await view.box("Linear lm_head"));
    await choose(view, "What calls it");
    await param(view, "side", "callers");
    await view.page.goto(new URL("/t/demo/flamegraph", rig().url).href);
    await menuOf(view, await view.box("Linear lm_head"));
    await choose(view, "Open the module in its model");
    await view.page.waitForURL(/\/models\/[0-9a-f]{32}\?.*path=lm_head/);
  });

  test("what cannot be done says why", async () => {
    const view = await open();
    await menuOf(view, (await view.drawn()).find(({ kind }) => kind === "python")!);
    const filter = view.page.getByRole("menuitem", { name: "Filter: only stacks with it" });
    expect([await filter.getAttribute("aria-disabled"), await filter.getAttribute("title")]).toEqual(["true", "No filter field is about such frames: kernel.name, module.path and model.name are about kernels and layers."]);
    await view.page.keyboard.press("Escape");
    await menuOf(view, (await view.drawn())[0]!);
    expect(await view.page.getByRole("menuitem").allTextContents()).toEqual(["FocusEnter"]);
  });
}
