// One rule, one result: whatever shows the counts of a subtree shows what the unfolded tree counts, on random models that share modules and tensors at any depth,
// also what is itself shared in part. fast-check prints the seed and the smallest model that breaks it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { moduleGraph } from "#core/shape/graph.ts";
import { moduleDetail } from "#core/shape/module-detail.ts";
import { bytesText, exactText } from "#core/shape/number-text.ts";
import { shapeTable } from "#core/shape/table-text.ts";
import { SubtreeTotals, type Subtree } from "#core/shape/totals.ts";
import { treeText } from "#core/shape/tree-text.ts";
import { treeAtFirst } from "#dashboard/pages/model/tree-state.ts";
import { moduleNodes, reveal, shapeFacts } from "#dashboard/pages/model/module-nodes.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { nodesByPath } from "./nodes-by-path.ts";
import { modelObject, shapeOf } from "./shared-objects.ts";
import { unfoldedTotals, type UnfoldedTotals } from "./unfolded-totals.ts";

const runs = { numRuns: 500 };
const shapes = modelObject(true).map((model) => canonicalShape(shapeOf(model)).body).map((body) => ({ body, truth: unfoldedTotals(body) })).filter(({ truth }) => truth.size <= 200);

const firstCopies = (body: ShapeBody, truth: Map<string, UnfoldedTotals>): UnfoldedTotals[] => [...nodesByPath(moduleGraph(body, "folded")).keys()].map((path) => truth.get(path)!);

test("the subtree of every path", () => {
  fc.assert(fc.property(shapes, ({ body, truth }) => {
    const totals = new SubtreeTotals(body);
    const visit = (subtree: Subtree, path: string): void => {
      expect([path, totals.of(subtree)]).toEqual([path, truth.get(path)]);
      body.modules[subtree.row]!.children.forEach(({ name }, at) => visit(totals.child(subtree, at), path === "" ? name : `${path}.${name}`));
    };
    visit(totals.root, "");
  }), runs);
});

test("the graph, folded and expanded", () => {
  fc.assert(fc.property(shapes, fc.constantFrom("folded" as const, "expanded" as const), ({ body, truth }, form) => {
    const graph = moduleGraph(body, form);
    for (const [path, node] of nodesByPath(graph)) {
      const { parameters, weightBytes } = truth.get(path)!;
      expect([path, graph.parameters[node], graph.bytes[node]]).toEqual([path, parameters, weightBytes]);
    }
  }), runs);
});

test("the tree text", () => {
  fc.assert(fc.property(shapes, ({ body, truth }) => {
    const [head, ...lines] = treeText(body, "m").trimEnd().split("\n");
    const [whole, ...below] = firstCopies(body, truth);
    expect(head).toContain(`${exactText(whole!.parameters)} parameters · ${bytesText(whole!.weightBytes)} · ${exactText(whole!.modules)} modules`);
    const counted = lines.map((line) => Number(/  ([\d,]+)(?: each)?(?: ·|$)/.exec(line)?.[1]?.replaceAll(",", "") ?? 0));
    expect(counted).toEqual(below.map(({ parameters }) => parameters));
  }), runs);
});

test("the table", () => {
  fc.assert(fc.property(shapes, ({ body, truth }) => {
    const table = shapeTable(body, "m");
    if (!table.ok) throw new Error(table.error);
    const [header, ...lines] = table.value.trimEnd().split("\n").slice(3);
    const [dtype, parameters, bytes] = ["dtype", "parameters", "bytes"].map((title) => header!.indexOf(title) + title.length) as [number, number, number];
    const counted = lines.filter((line) => !/^ *w\d /.test(line)).map((line) => [line.slice(dtype, parameters).trim(), line.slice(parameters, bytes).trim()]);
    const written = (count: number, text: (count: number) => string): string => (count === 0 ? "" : text(count));
    expect(counted).toEqual(firstCopies(body, truth).map((one) => [written(one.parameters, exactText), written(one.weightBytes, bytesText)]));
  }), runs);
});

test("a module's details, and what the dashboard lists", () => {
  fc.assert(fc.property(shapes, ({ body, truth }) => {
    for (const [path, { parameters, weightBytes, modules, unsizedTensors }] of truth) {
      const detail = moduleDetail(body, path, "m");
      expect([path, detail.ok && detail.value.totals]).toMatchObject([path, { parameters, weightBytes, submodules: modules - 1, unsizedTensors }]);
    }
    const facts = shapeFacts(body);
    const opened = [...truth.keys()].reduce((state, path) => reveal(facts, state, path)!.state, treeAtFirst);
    const listed = moduleNodes(facts, "m", opened);
    expect(listed).toHaveLength(moduleGraph(body, "folded").size);
    expect(listed.map(({ parameters, weightBytes, submodules }) => [parameters, weightBytes, submodules])).toEqual(
      listed.map(({ path }) => [truth.get(path)!.parameters, truth.get(path)!.weightBytes, truth.get(path)!.modules - 1]),
    );
  }), { numRuns: 200 });
});
