import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { type ModuleGraph, moduleGraph, none } from "#core/shape/graph.ts";
import { moduleRoles } from "#core/shape/role.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";
import { nodesByPath } from "./nodes-by-path.ts";
import { qwen3 } from "./qwen3-32b.ts";
import { modelObject, shapeOf, trueCounts, type ModuleObject } from "./shared-objects.ts";

// The tree the arrays stand for, followed from node to node: "<indent><name> <class>[ ×repeat]".
function drawn(graph: ModuleGraph, body: ShapeBody): string[] {
  const lines: string[] = [];
  const open = [{ node: 0, depth: 0 }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, depth } = top;
    const times = graph.repeat[node] === 1 ? "" : ` ×${graph.repeat[node]}`;
    lines.push(`${" ".repeat(depth)}${graph.names[graph.name[node]!]} ${body.modules[graph.row[node]!]!.className}${times}`.trimEnd());
    if (graph.nextSibling[node] !== none) open.push({ node: graph.nextSibling[node]!, depth });
    if (graph.firstChild[node] !== none) open.push({ node: graph.firstChild[node]!, depth: depth + 1 });
  }
  return lines;
}

const layered = drawShape(
  `
  Net
    embed Embedding weight:bfloat16[10,4]
    layers ModuleList
      0..1 Layer
        rope Rope ~cos:float32[4]
        mlp MLP weight:bfloat16[4,4]
      2 Layer
        mlp MLP weight:float8_e4m3fn[4,4]
    head Linear weight:bfloat16[10,4]`,
  { "head.weight": "embed.weight" },
);

test("folded, equal layers are one node; expanded, each is its own", () => {
  expect(drawn(moduleGraph(layered, "folded"), layered)).toEqual([
    " Net", " embed Embedding", " layers ModuleList", "  0 Layer ×2", "   rope Rope", "   mlp MLP", "  2 Layer", "   mlp MLP", " head Linear",
  ]);
  expect(drawn(moduleGraph(layered, "expanded"), layered)).toEqual([
    " Net", " embed Embedding", " layers ModuleList", "  0 Layer", "   rope Rope", "   mlp MLP", "  1 Layer", "   rope Rope", "   mlp MLP", "  2 Layer", "   mlp MLP", " head Linear",
  ]);
});

test("Qwen3-32B: 967 modules, 22 of them of their own", () => {
  const { body } = canonicalShape(qwen3());
  const [folded, expanded] = [moduleGraph(body, "folded"), moduleGraph(body, "expanded")];
  expect([folded.size, expanded.size]).toEqual([22, 967]);
  expect([folded.parameters[0], expanded.parameters[0], expanded.bytes[0]]).toEqual([32_762_123_264, 32_762_123_264, 65_524_246_528]);
  const layer17 = nodesByPath(expanded).get("model.layers.17.self_attn.q_proj")!;
  expect([expanded.ownParameters[layer17], expanded.parameters[layer17], moduleRoles[expanded.role[layer17]!]]).toEqual([8192 * 5120, 8192 * 5120, "Linear / MLP"]);
  const layers = nodesByPath(folded).get("model.layers")!;
  expect([folded.ownParameters[layers], folded.parameters[layers]]).toEqual([0, 64 * (2 * 8192 * 5120 + 2 * 1024 * 5120 + 3 * 25_600 * 5120 + 2 * 128 + 2 * 5120)]);
});

describe("what is shared", () => {
  test("counts once in all that hold both, and is still the module's own", () => {
    for (const form of ["folded", "expanded"] as const) {
      const graph = moduleGraph(layered, form);
      const [root, head] = [0, nodesByPath(graph).get("head")!];
      expect([graph.parameters[root], graph.bytes[root]]).toEqual([40 + 3 * 16, 80 + 2 * 32 + 16]);
      expect([graph.ownParameters[head], graph.parameters[head]]).toEqual([40, 40]);
    }
  });

  test("within a copy that a folded node stands for touches no other node", () => {
    const body = drawShape(
      `
      Net
        layers ModuleList
          0..2 Pair
            a Linear weight:float32[8]
            b Linear weight:float32[8]`,
      { "layers.2.b": "layers.2.a" },
    );
    const counted = (form: "folded" | "expanded", path: string): number | undefined => {
      const graph = moduleGraph(body, form);
      return graph.parameters[nodesByPath(graph).get(path)!];
    };
    expect([counted("folded", ""), counted("folded", "layers.0")]).toEqual([40, 16]);
    expect([counted("expanded", ""), counted("expanded", "layers.1"), counted("expanded", "layers.2")]).toEqual([40, 16, 8]);
  });
});

describe("of any model", () => {
  const models = (sharing: boolean) => modelObject(sharing).map((model) => ({ model, body: canonicalShape(shapeOf(model)).body }));

  test("expanded, it is the tree a walk over its objects gives, in pre-order", () => {
    fc.assert(
      fc.property(models(true), ({ model, body }) => {
        const graph = moduleGraph(body, "expanded");
        let node = 0;
        const visit = (module: ModuleObject, name: string, parent: number): void => {
          const here = node++;
          expect([graph.names[graph.name[here]!], graph.parent[here], graph.repeat[here]]).toEqual([name, parent, 1]);
          expect(body.modules[graph.row[here]!]!.className).toBe(module.className);
          const children = module.children.map((child) => {
            const at = node;
            visit(child.module, child.name, here);
            return at;
          });
          expect([graph.firstChild[here], graph.end[here]]).toEqual([children[0] ?? none, node]);
          children.forEach((child, i) => expect(graph.nextSibling[child]).toBe(children[i + 1] ?? none));
        };
        visit(model, "", none);
        expect(graph.size).toBe(node);
        expect([graph.parameters[0], graph.bytes[0]]).toEqual([trueCounts(model).parameters, trueCounts(model).weightBytes]);
      }),
      { numRuns: 300 },
    );
  });

  test("folded, its nodes stand for every module once, and count the same", () => {
    fc.assert(
      fc.property(models(true), ({ model, body }) => {
        const [folded, expanded] = [moduleGraph(body, "folded"), moduleGraph(body, "expanded")];
        const copies = new Float64Array(folded.size);
        for (let node = 0; node < folded.size; node++) copies[node] = folded.repeat[node]! * (node === 0 ? 1 : copies[folded.parent[node]!]!);
        expect(copies.reduce((sum, n) => sum + n, 0)).toBe(expanded.size);
        expect(folded.parameters[0]).toBe(trueCounts(model).parameters);
        expect(folded.bytes[0]).toBe(expanded.bytes[0]);
      }),
      { numRuns: 300 },
    );
  });

  test("without sharing, a subtree counts its own tensors and its children's, copies and all", () => {
    fc.assert(
      fc.property(models(false), fc.constantFrom("folded" as const, "expanded" as const), ({ body }, form) => {
        const graph = moduleGraph(body, form);
        const sums = Float64Array.from(graph.ownParameters);
        for (let node = graph.size - 1; node > 0; node--) sums[graph.parent[node]!]! += sums[node]! * graph.repeat[node]!;
        expect(sums).toEqual(graph.parameters);
      }),
      { numRuns: 300 },
    );
  });
});

test("depth costs no stack: 5,000 levels, far beyond what decode lets in", () => {
  const modules = [{ className: "Leaf", tensors: [], children: [] as { name: string; module: number }[] }];
  for (let row = 1; row < 5_000; row++) modules.push({ className: "Link", tensors: [], children: [{ name: "next", module: row - 1 }] });
  const graph = moduleGraph({ architecture: "", modules, root: 4_999, aliases: [] }, "expanded");
  expect([graph.size, graph.parent[4_999], graph.firstChild[4_999]]).toEqual([5_000, 4_998, none]);
});
