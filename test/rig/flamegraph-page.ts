// The flamegraph page as a person and a program see it: what is drawn where, and the pixels that were really painted.
import type { Locator, Page } from "playwright-core";
import { searchTree, parseSearch, type SearchHits } from "#core/flamegraph/search.ts";
import { indexTree, type TreeIndex } from "#core/flamegraph/tree-index.ts";
import type { Answer } from "#test/rig/client.ts";
import { until } from "#test/rig/until.ts";

export type Box = { readonly node: number; readonly x: number; readonly y: number; readonly width: number; readonly kind: string; readonly name: string };
export type Graph = Answer<"flamegraph">;

export class FlamegraphPage {
  readonly page: Page;
  readonly tree: Locator;
  readonly canvas: Locator;
  readonly summary: Locator;
  readonly tooltip: Locator;
  readonly selected: Locator;
  readonly treeInFocus: Locator;

  constructor(page: Page) {
    this.page = page;
    this.tree = page.getByTestId("flamegraph-tree");
    this.canvas = page.getByTestId("flamegraph-canvas");
    this.summary = page.getByTestId("flamegraph-summary");
    this.tooltip = page.getByTestId("flamegraph-tooltip");
    this.treeInFocus = page.locator("[data-testid=flamegraph-tree]:focus");
    this.selected = page.getByTestId("flamegraph-frame");
  }

  // The boxes that are drawn, once they are as `holds` says: the list follows the last picture by some milliseconds.
  async boxes(what: string, holds: (boxes: Box[]) => boolean): Promise<Box[]> {
    return await until(what, async () => JSON.parse((await this.canvas.getAttribute("data-boxes")) ?? "[]") as Box[], holds);
  }

  async drawn(): Promise<Box[]> {
    return await this.boxes("a drawing", (boxes) => boxes.length > 0);
  }

  async box(name: string): Promise<Box> {
    return (await this.boxes(`a box ${name}`, (boxes) => boxes.some((one) => one.name === name))).find((one) => one.name === name)!;
  }

  async width(): Promise<number> {
    return await this.canvas.evaluate((canvas) => canvas.clientWidth);
  }

  // Moves the pointer into the box.
  async hover(box: Box): Promise<void> {
    await this.tree.hover({ position: { x: box.x + box.width / 2, y: box.y + 10 } });
  }

  async click(box: Box): Promise<void> {
    await this.tree.click({ position: { x: box.x + box.width / 2, y: box.y + 10 } });
  }

  // The painted colour at a place of the canvas, CSS px: [red, green, blue].
  async pixel(x: number, y: number): Promise<number[]> {
    return await this.page.evaluate<number[]>(`(() => {
      const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      probe.drawImage(document.querySelector("[data-testid=flamegraph-canvas]"), -Math.round(${x} * devicePixelRatio), -Math.round(${y} * devicePixelRatio));
      return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    })()`);
  }

  async focusIs(node: number): Promise<void> {
    await until(`focus on node ${node}`, () => this.page.getByTestId("flamegraph-focus").getAttribute("data-node"), (found) => found === String(node));
  }

  async data(locator: Locator, name: string): Promise<string | null> {
    return await locator.getAttribute(`data-${name}`);
  }

  get params(): URLSearchParams {
    return new URL(this.page.url()).searchParams;
  }
}

export function hitsOf(graph: Graph, text: string): SearchHits {
  return searchTree(graph, indexTree(graph.nodes), parseSearch(text));
}

export const indexOf = (graph: Graph): TreeIndex => indexTree(graph.nodes);
