// A trace that is only read gives the flamegraph a stored one would: values are those of its samples, whatever the view.
import { expect, test } from "vitest";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { fileFlamegraph, openTrace, type OpenedTrace } from "#core/file-view/file-flamegraph.ts";
import { layerFrameName } from "#core/shape/frame-name.ts";
import { importFile } from "#core/trace/import-file.ts";
import { flamegraphText } from "#core/flamegraph/text.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { root } from "#local/worker.ts";

async function opened(text: string): Promise<OpenedTrace> {
  return await openedBytes(new TextEncoder().encode(text), "stacks.folded");
}
async function openedBytes(bytes: Uint8Array, name: string): Promise<OpenedTrace> {
  const read = await importFile(() => [bytes], { frameName: layerFrameName, fileName: name });
  if (!read.ok) throw new Error(read.error.reason);
  return openTrace(read.value, name, "2026-11-29T12:00:00.000Z");
}

// Every node has what it has itself and what its children have.
function expectTotals({ nodes }: Flamegraph): void {
  const sums = nodes.self.slice();
  for (let node = nodes.parent.length - 1; node > 0; node--) sums[nodes.parent[node]!]! += nodes.total[node]!;
  expect(sums).toEqual(nodes.total);
}

const folded = "main;serve;decode 30\nmain;serve;prefill 12\nmain;load 8\nmain;serve;decode 5\n";

test("stacks of one path are one, heaviest first, and the root has all of it", async () => {
  const graph = fileFlamegraph(await opened(folded), {});
  expect(graph.total).toBe(55);
  const names = graph.nodes.frame.map((frame) => graph.frames.name[frame]);
  expect(names).toEqual(["", "main", "serve", "decode", "prefill", "load"]);
  expect(graph.nodes.total).toEqual([55, 55, 47, 35, 12, 8]);
  expect(graph.nodes.self).toEqual([0, 0, 0, 35, 12, 8]);
  expect(graph.execution).toMatchObject({ name: "stacks.folded", importedAt: "2026-11-29T12:00:00.000Z" });
});

test("leaf first, and only what calls a frame or is called by it", async () => {
  const trace = await opened(folded);
  const graph = fileFlamegraph(trace, {});
  const serve = graph.frames.id[graph.frames.name.indexOf("serve")]!;
  const shown = (query: Parameters<typeof fileFlamegraph>[1]) => {
    const { nodes, frames, total, whole } = fileFlamegraph(trace, query);
    return { names: nodes.frame.map((frame) => frames.name[frame]), totals: nodes.total, total, whole };
  };
  expect(shown({ invert: "1" }).names).toEqual(["", "decode", "serve", "main", "prefill", "serve", "main", "load", "main"]);
  expect(shown({ frame: serve, side: "callees" })).toEqual({ names: ["", "serve", "decode", "prefill"], totals: [47, 47, 35, 12], total: 47, whole: 55 });
  expect(shown({ frame: serve, side: "callers" })).toEqual({ names: ["", "serve", "main"], totals: [47, 47, 47], total: 47, whole: 55 });
  expect(shown({ frame: "ffff0", side: "callers" })).toEqual({ names: [""], totals: [0], total: 0, whole: 55 });
});

test("what does not fit is (other), and totals stay", async () => {
  const graph = fileFlamegraph(await opened(folded), {}, 3);
  expect(graph.total).toBe(55);
  expect(graph.truncated).toEqual({ nodes: 2, total: 20 });
  expectTotals(graph);
});

test("the demo recording: layers shown, folded with their copies, and hidden have the same total", async () => {
  const trace = await openedBytes(gunzipSync(readFileSync(join(root, "local/demo/qwen3-demo.trace.json.gz"))), "demo.json");
  const sum = trace.execution.samples.reduce((all, { value }) => all + value, 0);
  const views = (["show", "fold", "hide"] as const).map((layers) => fileFlamegraph(trace, { layers }));
  for (const graph of views) {
    expect(graph.total).toBe(sum);
    expectTotals(graph);
  }
  const [shown, foldedView, hidden] = views;
  const layers = (graph: typeof shown) => graph!.nodes.frame.map((frame, node) => [graph!.frames.kind[frame], graph!.frames.name[frame], graph!.nodes.copies[node]]).filter(([kind]) => kind === "layer");
  expect(layers(shown).filter(([, name]) => /^Qwen3DecoderLayer layers\.\d$/.test(String(name))).every(([, , copies]) => copies === 1)).toBe(true);
  expect(layers(foldedView).filter(([, name]) => name === "Qwen3DecoderLayer layers.*").map(([, , copies]) => copies)).toContain(4);
  expect(layers(hidden)).toEqual([]);
  expect(hidden!.withoutLayer).toBe(shown!.withoutLayer); // of the stacks, not of what is drawn
  expect(foldedView!.withoutLayer).toBe(shown!.withoutLayer);
  expect(shown!.frames.modelKey.every((key) => key === "")).toBe(true); // nothing leads to a model that is nowhere stored
  expect(flamegraphText(shown!)).toContain("qwen3-demo");
});
