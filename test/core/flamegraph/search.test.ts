import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { matches, parseSearch, searchFor, searchTree } from "#core/flamegraph/search.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import { limits } from "#schema/limits.ts";
import { drawProfile, foldedRowsOf, randomProfile } from "#test/rig/stacks.ts";

describe("terms", () => {
  test.each([
    ["Attention", "Qwen2Attention self_attn", true],
    ["attention", "Qwen2Attention self_attn", true],
    ["mlp", "Qwen2Attention self_attn", false],
    ["mlp, attn", "Qwen2Attention self_attn", true],
    ["mlp,,attn,", "Qwen2Attention self_attn", true],
    ["/^qwen2.*attn$/", "Qwen2Attention self_attn", true],
    ["/^attn/", "Qwen2Attention self_attn", false],
    ["mlp, /self_(attn|x)/", "Qwen2Attention self_attn", true],
    ["/a{1,2}ttn/", "aattn", true], // a comma inside a regular expression is part of it
    ["/usr/lib/libc", "/usr/lib/libc.so", true], // no closing slash: a substring
    ["/models/a.b/c", "/models/axb/c", false],
    ["Qwen/Qwen3-32B", "Qwen/Qwen3-32B", true],
    ["", "anything", false],
    [" , ", "anything", false],
    ["gemm<int\\, float>", "gemm<int, float>", true],
    ["gemm<int\\, float>", "float>", false],
    ["/{lambda\\(\\)#1}/", "vectorized<{lambda()#1}>", true], // RE2, as the store reads it: a brace that repeats nothing is itself
    ["/^a.b$/", "A\nB", true], // and a dot is any character
    ["/(?s)^É$/", "é", true],
    ["/k/", "\u212a", true], // the Kelvin sign is a k, case ignored
  ])("%j finds %j: %j", (text, name, found) => {
    expect(matches(parseSearch(text), name)).toBe(found);
  });

  test("a broken regular expression is a problem with its place; the other terms still search", () => {
    const search = parseSearch("gemm, /a(/, norm");
    expect(search.problems).toMatchObject([{ kind: "regex_invalid", from: 6, to: 10 }]);
    expect(search.terms.map(({ text }) => text)).toEqual(["gemm", "norm"]);
  });

  test.each(["/(?=a)/", "/a\\1/", "/a(?i)b/", "/[/", "/*/"])("%s, which the store or JavaScript could not match alike, is a problem", (text) => {
    expect(parseSearch(text)).toMatchObject({ terms: [], problems: [{ kind: "regex_invalid", from: 0, to: text.length, message: expect.stringContaining("RE2") }] });
  });

  test("patterns that would step the store through more than their bound are refused, each with its place; the others search", () => {
    const half = `/.{${limits.filterRegexStepsMax / 2}}/`;
    expect(parseSearch(`${half}, ${half}`).problems).toEqual([]);
    const search = parseSearch(`${half}, gemm, /.{65}/, /[ab]/, /x/, norm`);
    expect(search.problems).toMatchObject([{ kind: "regex_too_heavy", from: 15, to: 22, message: expect.stringContaining("up to here have 129 steps, at most 128 are taken") }]);
    expect(search.terms.map(({ text }) => text)).toEqual([".{64}", "gemm", "[ab]", "x", "norm"]);
    expect(parseSearch("/((.{900}){900}){900}/").problems[0]!.message).toContain("over a million steps");
  });

  test("a search longer than its bound is refused, not shortened", () => {
    expect(parseSearch("é".repeat(limits.searchBytesMax / 2)).problems).toEqual([]);
    expect(parseSearch(`${"é".repeat(limits.searchBytesMax / 2)}a`)).toMatchObject({ terms: [], problems: [{ kind: "too_long" }] });
  });

  test("searchFor finds the name it was made for, whatever it holds", () => {
    fc.assert(fc.property(fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom("a", "B", ",", "/", "\\", " ", "(", "*") }), (name) => {
      fc.pre(name.trim() !== "");
      const search = parseSearch(searchFor(name));
      expect(search.problems).toEqual([]);
      expect(search.terms).toHaveLength(1);
      expect(matches(search, `xx${name}yy`)).toBe(true);
    }), { numRuns: 1_000, examples: [[" /(/ "], ["/"], [" \\/,"]] });
  });
});

const nested = drawProfile(`
  attn:layer          attn:layer        mlp:layer         attn_mask
  attn_fwd            norm:gpu_kernel   gemm:gpu_kernel   1
  attn_k:gpu_kernel   2                 10
  6
`);

function hitsOf(profile: StackProfile, text: string, nodesMax = 1000) {
  const graph = flamegraphColumns(foldedRowsOf(profile, nodesMax), "cuda");
  const index = indexTree(graph.nodes);
  return { graph, index, hits: searchTree(graph, index, parseSearch(text)) };
}

test("nested matches count once, kind by kind and together", () => {
  const { hits } = hitsOf(nested, "attn");
  expect(hits).toMatchObject({ nodes: 4, names: 4, total: 9, share: 9 / 19 });
  expect(hits.byKind.map(({ kind, nodes, total }) => [kind, nodes, total])).toEqual([["layer", 1, 8], ["python", 2, 7], ["gpu_kernel", 1, 6]]);
});

test("(other) and the root are never a hit", () => {
  const { graph, hits } = hitsOf(nested, "other, /^$/, all, /./", 1);
  expect(graph.frames.name).toEqual(["", "(other)", "mlp"]);
  expect(hits).toMatchObject({ nodes: 1, total: 10 });
});

test("the union is what a naive walk from every leaf finds, and leads are the ancestors of matches", () => {
  fc.assert(fc.property(randomProfile, fc.constantFrom("a", "b", "a,b", "/[c-e]/"), (profile, text) => {
    const search = parseSearch(text);
    const matching = profile.stacks.filter(({ frames }) => frames.some((frame) => matches(search, profile.frames[frame]!.name)));
    const { graph, index, hits } = hitsOf(profile, text);
    expect(BigInt(hits.total)).toBe(matching.reduce((sum, { value }) => sum + value, 0n));
    graph.nodes.parent.forEach((_parent, node) => {
      const below = [...hits.matched.subarray(node, index.end[node])];
      expect(hits.leads[node]).toBe(below.includes(1) ? 1 : 0);
    });
  }));
});
