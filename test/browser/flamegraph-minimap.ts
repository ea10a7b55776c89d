// The strip above the drawing: what is on screen is a window in it, by pointer and by key; matches too thin to see have a tick, and a mark in the drawing.
import { expect, test } from "vitest";
import type { BrowserRig } from "#test/rig/browser.ts";
import { FlamegraphPage, hitsOf, indexOf } from "#test/rig/flamegraph-page.ts";
import { until } from "#test/rig/until.ts";

export function flamegraphMinimap(rig: () => BrowserRig): void {
  const open = async (query = ""): Promise<FlamegraphPage> => {
    const view = new FlamegraphPage(await rig().page(`/t/demo/flamegraph${query}`));
    await view.drawn();
    return view;
  };
  const window = (view: FlamegraphPage) => view.page.getByTestId("flamegraph-window");
  const says = async (view: FlamegraphPage, text: RegExp) => await until(`the window at ${text}`, () => window(view).getAttribute("aria-valuetext"), (found) => found !== null && text.test(found));
  const placed = (view: FlamegraphPage) => window(view).evaluate((element) => [element.offsetLeft, element.offsetWidth] as const);

  test("it is everything at first, and a focused frame's part of it after a click", async () => {
    const view = await open();
    const graph = await rig().stack.demo.get("flamegraph");
    await says(view, /^all of the width$/);
    const box = await view.box("Linear lm_head");
    await view.click(box);
    await view.focusIs(box.node);
    const share = (value: number) => `${Number(((value / graph.total) * 100).toPrecision(3))} %`;
    const left = indexOf(graph).offset[box.node]!;
    expect(await says(view, / to /)).toBe(`${share(left)} to ${share(left + graph.nodes.total[box.node]!)} of the width`);
    const [x, width] = await placed(view);
    const whole = await view.width();
    expect(Math.abs(x - (left / graph.total) * whole)).toBeLessThanOrEqual(2);
    expect(Math.abs(width - (graph.nodes.total[box.node]! / graph.total) * whole)).toBeLessThanOrEqual(2);
  });

  test("dragged or moved by keys, the drawing follows and the focus stays what it is", async () => {
    const view = await open();
    const box = await view.box("Linear lm_head");
    await view.tree.focus();
    for (let presses = 0; presses < 3; presses++) await view.tree.press("+");
    await says(view, / to /);
    await window(view).focus();
    await view.page.keyboard.press("Home");
    await says(view, /^0 % to /);
    await view.page.keyboard.press("End");
    await says(view, / to 100 % of the width$/);
    await view.boxes("the right end", (boxes) => boxes.some((one) => one.node === box.node && one.width > box.width * 2));
    await view.page.keyboard.press("PageUp");
    await view.boxes("further left", (boxes) => !boxes.some((one) => one.node === box.node));
    const [before] = await placed(view);
    await view.page.keyboard.press("ArrowRight");
    await until("a step to the right", () => placed(view), ([now]) => now > before);
    const strip = (await view.page.getByTestId("flamegraph-minimap").boundingBox())!;
    const [x, width] = await placed(view);
    await view.page.mouse.move(strip.x + x + width / 2, strip.y + 20);
    await view.page.mouse.down();
    await view.page.mouse.move(strip.x + strip.width + 500, strip.y + 20, { steps: 4 });
    await view.page.mouse.up();
    await says(view, / to 100 % of the width$/);
    await view.page.mouse.click(strip.x + 1, strip.y + 20); // beside the window: it comes there
    await says(view, /^0 % to /);
    expect(view.params.get("focus")).toBeNull();
  });

  test("a match below a pixel has a mark of two in the drawing, and a tick in the strip", async () => {
    const view = await open();
    await view.page.getByTestId("theme-light").click();
    const graph = await rig().stack.demo.get("flamegraph");
    const index = indexOf(graph);
    const width = await view.width();
    const pixels = (node: number) => (graph.nodes.total[node]! / graph.total) * width;
    // A frame whose name no wider frame has.
    const widest = new Map<string, number>();
    graph.nodes.frame.forEach((frame, node) => widest.set(graph.frames.name[frame]!, Math.max(widest.get(graph.frames.name[frame]!) ?? 0, pixels(node))));
    const thin = graph.nodes.frame.findIndex((frame, node) => graph.nodes.total[node]! > 0 && /^[\w.: ]{6,}$/.test(graph.frames.name[frame]!) && widest.get(graph.frames.name[frame]!)! < 0.9);
    expect(thin).toBeGreaterThan(0);
    const name = graph.frames.name[graph.nodes.frame[thin]!]!;
    await view.page.getByTestId("flamegraph-search").fill(name);
    const { matched } = hitsOf(graph, name);
    const columns = new Set([...matched.keys()].filter((node) => matched[node] === 1).map((node) => Math.floor((index.offset[node]! / graph.total) * width)));
    await until("the ticks", () => view.page.getByTestId("flamegraph-minimap-canvas").getAttribute("data-ticks"), (ticks) => ticks === String(columns.size));
    await view.page.getByTestId("flamegraph-search").press("Enter"); // brings it into sight
    const node = Number(await until("the match selected", () => view.data(view.selected, "node"), (found) => matched[Number(found)] === 1));
    await view.tree.focus();
    await view.tree.press("Escape"); // no outline over it
    const top = await view.tree.evaluate((element) => element.scrollTop);
    const x = Math.min(width - 2, Math.round((index.offset[node]! / graph.total) * width));
    await until("the mark", () => view.pixel(x + 1, index.depth[node]! * 20 - top + 10), (pixel) => pixel.join() === "109,40,217");
  });
}
