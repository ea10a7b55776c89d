import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findModules, type Found } from "#core/shape/find/find.ts";
import { foldChildren } from "#core/shape/fold.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";
import { modelObject, shapeOf } from "./shared-objects.ts";

function find(body: ShapeBody, search: string, limit = 50): Found {
  const found = findModules(body, search, limit);
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}
const hits = (body: ShapeBody, search: string) =>
  find(body, search).hits.map(({ className, first, last, copies, of }) => `${className} ${first}${copies > 1 ? ` … ${last}` : ""} ${copies} of ${of}`);

describe("Qwen3-32B", () => {
  test("one word: 64 copies are one hit, counted as 64", () => {
    const found = find(qwen3(), "q_proj");
    expect(found).toEqual({ modules: 967, matches: 64, more: false, hits: [{ className: "Linear", first: "model.layers.0.self_attn.q_proj", last: "model.layers.63.self_attn.q_proj", copies: 64, of: 64 }] });
  });

  test("an index in the path tells copies apart: 1 of 64, and 11 for a prefix of it", () => {
    expect(hits(qwen3(), "layers.17.mlp.up")).toEqual(["Linear model.layers.17.mlp.up_proj 1 of 64"]);
    // layers.1 and layers.10 … layers.19
    expect(hits(qwen3(), "layers.1 up_proj")).toEqual(["Linear model.layers.1.mlp.up_proj … model.layers.19.mlp.up_proj 11 of 64"]);
  });

  test("by class, in any case, with every module below that has the word in its path", () => {
    expect(hits(qwen3(), "QWEN3ATTENTION")).toEqual(["Qwen3Attention model.layers.0.self_attn … model.layers.63.self_attn 64 of 64"]);
    expect(find(qwen3(), "attn").matches).toBe(64 * 7); // the attention and its six children, by path
  });

  test("by dtype of the module's own tensors", () => {
    expect(hits(qwen3(), "float32")).toEqual(["Qwen3RotaryEmbedding model.rotary_emb 1 of 1"]);
  });

  test("all words must match, each by whatever it likes", () => {
    expect(hits(qwen3(), "norm layers.3. bfloat16")).toEqual([
      "Qwen3RMSNorm model.layers.3.self_attn.q_norm 1 of 64", "Qwen3RMSNorm model.layers.3.self_attn.k_norm 1 of 64",
      "Qwen3RMSNorm model.layers.3.input_layernorm 1 of 64", "Qwen3RMSNorm model.layers.3.post_attention_layernorm 1 of 64",
    ]);
    expect(find(qwen3(), "q_proj float32")).toMatchObject({ matches: 0, hits: [], more: false });
  });

  test("a regular expression sees the path, the name and the class", () => {
    expect(hits(qwen3(), "/layers\\.6[0-3]\\.mlp$/")).toEqual(["Qwen3MLP model.layers.60.mlp … model.layers.63.mlp 4 of 64"]);
    expect(hits(qwen3(), "/^(q|o)_proj$/")).toEqual(["Linear model.layers.0.self_attn.q_proj … model.layers.63.self_attn.q_proj 64 of 64", "Linear model.layers.0.self_attn.o_proj … model.layers.63.self_attn.o_proj 64 of 64"]);
    expect(hits(qwen3(), "/^embedding$/")).toEqual(["Embedding model.embed_tokens 1 of 1"]);
    expect(hits(qwen3(), "/^model\\.layers\\.\\d$/ decoder")).toEqual(["Qwen3DecoderLayer model.layers.0 … model.layers.9 10 of 64"]);
  });

  test("the root is found by its class", () => {
    expect(hits(qwen3(), "ForCausalLM")).toEqual(["Qwen3ForCausalLM  1 of 1"]);
  });

  test("the limit cuts hits, never the count, and says so", () => {
    const all = find(qwen3(), "e");
    expect(find(qwen3(), "e", 3)).toEqual({ ...all, hits: all.hits.slice(0, 3), more: true });
    expect(find(qwen3(), "e", all.hits.length).more).toBe(false);
  });
});

test("a slash that ends nothing is a character", () => {
  const body = drawShape("Net\n  a/b Linear\n  ab Linear");
  expect(hits(body, "/b")).toEqual(["Linear a/b 1 of 1"]);
  expect(hits(body, "/a.*b/")).toEqual(["Linear a/b 1 of 1", "Linear ab 1 of 1"]);
});

test.each([
  ["", "a search needs a word"], ["   ", "a search needs a word"], ["/(/", "missing )"], ["/a)/", "unexpected )"], ["/*a/", "nothing to repeat before *"], ["/a**/", "nothing to repeat"], ["/[a/", "missing ]"],
  ["/(?=a)/", "(?="], ["/(a)\\1/", "\\1 is not taken"], ["/[z-a]/", "z-a is no range"], ["/a{3,2}/", "{3,2} counts backwards"], ["/(a{999}){999}/", "findPatternStepsMax"],
  [`/${"(".repeat(65)}a${")".repeat(65)}/`, "nested deeper"], ["x ".repeat(17), "findTermsMax"], ["x".repeat(513), "searchBytesMax"],
])("%s is refused: %s", (search, words) => {
  const found = findModules(qwen3(), search, 10);
  expect(found).toMatchObject({ ok: false, error: { message: expect.stringContaining(words) } });
});

test("the place of the mistake is named", () => {
  expect(findModules(qwen3(), "norm /(/ x", 10)).toMatchObject({ ok: false, error: { from: 5, to: 8 } });
});

test("expressions that make a backtracking engine run for ever are read once", () => {
  const body = drawShape(`Net\n  ${"a".repeat(5_000)} Linear`);
  expect(find(body, "/(a+)+$/").matches).toBe(1);
  expect(find(body, "/^(a|a)*b/").matches).toBe(0);
  expect(find(body, "/(.*)*x(.*)*y/").matches).toBe(0);
});

test("an expression with too many states is refused, not run", () => {
  let state = 1;
  const random = (): string => ((state = (state * 48_271) % 2_147_483_647) % 2 === 0 ? "a" : "b");
  const names = [1, 2].map(() => `  ${Array.from({ length: 6_000 }, random).join("")} Linear`);
  expect(findModules(drawShape(["Net", ...names].join("\n")), "/(a|b)*a(a|b){50}c/", 10)).toMatchObject({ ok: false, error: { message: expect.stringContaining(`findPatternStatesMax = ${limits.findPatternStatesMax}`) } });
});

test("few states that each read many long names are refused: the characters are bounded too", () => {
  // The words remember the letters of the last three steps, so 27 paths meet 2,000 names of 200 characters in as many states: 130 million characters.
  const modules: ShapeBody["modules"] = [{ className: "Leaf", tensors: [], children: [] }];
  modules.push({ className: "Wide", tensors: [], children: Array.from({ length: 2_000 }, (_, i) => ({ name: `${"y".repeat(200)}${i}`, module: 0 })) });
  for (let row = 2; row <= 4; row++) modules.push({ className: "Branch", tensors: [], children: ["a", "b", "c"].map((name) => ({ name, module: row - 1 })) });
  const words = Array.from({ length: 12 }, (_, i) => `/${"abc"[i % 3]}\\.${".".repeat(2 * (i >> 2))}z/`);
  const body = { architecture: "", modules, root: 4, aliases: [] };
  expect(findModules(body, words.join(" "), 10)).toMatchObject({ ok: false, error: { from: 0, to: words.join(" ").length, message: expect.stringContaining(`findStepsMax = ${limits.findStepsMax}`) } });
  expect(find(body, "y1999").matches).toBe(27);
});

test("16 expressions, each with fewer states than are allowed, are together too many steps", () => {
  let state = 1;
  const random = (): string => ((state = (state * 48_271) % 2_147_483_647) % 2 === 0 ? "a" : "b");
  const names = Array.from({ length: 9 }, () => `  ${Array.from({ length: 1_000 }, random).join("")} Linear`);
  const words = Array.from({ length: 16 }, (_, i) => `/(a|b)*a(a|b){${200 + i}}c/`);
  expect(findModules(drawShape(["Net", ...names].join("\n")), words.join(" "), 10)).toMatchObject({ ok: false, error: { message: expect.stringContaining(`findStepsMax = ${limits.findStepsMax}`) } });
});

test("a doubling tree of 2^21 modules costs its rows", () => {
  const modules: ShapeBody["modules"] = [{ className: "Leaf", tensors: [], children: [] }];
  for (let row = 1; row <= 20; row++) modules.push({ className: "Pair", tensors: [], children: [{ name: "left", module: row - 1 }, { name: "right", module: row - 1 }] });
  const body = { architecture: "", modules, root: 20, aliases: [] };
  expect(find(body, "leaf", 5)).toMatchObject({ modules: 2 ** 21 - 1, matches: 2 ** 20, more: true });
  expect(find(body, "right.right.right.right leaf", 5).hits).toHaveLength(5);
  expect(find(body, "right")).toMatchObject({ matches: 2 ** 21 - 1 - 21 }); // all but the root and the leftmost path
});

test("an MoE of 94 layers × 128 experts: hits are folded, counts are exact", () => {
  const body = drawShape("Net\n  layers ModuleList\n    0..93 Layer\n      experts ModuleList\n        0..127 Expert\n          up Linear w:float32[2,2]\n          down Linear w:float32[2,2]");
  expect(shapeTotals(body).modules).toBe(2 + 94 * (2 + 128 * 3));
  expect(hits(body, "experts.12.up")).toEqual(["Linear layers.0.experts.12.up … layers.93.experts.12.up 94 of 12032"]);
  expect(find(body, "linear").matches).toBe(94 * 256);
  expect(hits(body, "/layers\\.(3|90)\\..*experts\\.(7|99)\\.down/")).toEqual(["Linear layers.3.experts.7.down … layers.90.experts.99.down 4 of 12032"]);
});

test("first and last are those of all copies, also where the words tell some of them apart earlier", () => {
  const body = drawShape("Net\n  layers ModuleList\n    0..9 Layer\n      experts ModuleList\n        0..4 Expert\n          up Linear w:int8[2,2]");
  // Expert 3 of the nine other layers, and all five of layer 3.
  expect(hits(body, "3 up")).toEqual(["Linear layers.0.experts.3.up … layers.9.experts.3.up 14 of 50"]);
  expect(hits(body, "3 up layers.3")).toEqual(["Linear layers.3.experts.0.up … layers.3.experts.4.up 5 of 50"]);
});

// The same search by hand: every module unfolded, JavaScript's own matching.
test("over random models and words, hits are what an unfolded search finds", () => {
  const word = fc.constantFrom("linear", "0", "1", "child", "child0", "d1", ".0", "0.1", "layer", "float", "bf", "module", "e", "/^child\\d$/", "/0$/", "/(0|1)\\.child/", "/[^a-z.]/", "/layer|norm/", "/d[02]+\\./");
  fc.assert(fc.property(modelObject(false), fc.array(word, { minLength: 1, maxLength: 3 }), (model, words) => {
    const { body } = canonicalShape(shapeOf(model));
    const matches = (text: string, one: string) => (one.startsWith("/") ? new RegExp(one.slice(1, -1), "i").test(text) : text.toLowerCase().includes(one));
    const expected: { path: string; fold: string }[] = [];
    const folds = new Map<string, number>();
    const visit = (row: number, path: string, name: string, fold: string): void => {
      const { className, tensors, children } = body.modules[row]!;
      folds.set(fold, (folds.get(fold) ?? 0) + 1);
      if (words.every((one) => [name, className, path, ...tensors.map(({ dtype }) => dtype)].some((text) => matches(text, one)))) expected.push({ path, fold });
      for (const [i, run] of foldChildren(children).entries()) for (const child of children.slice(run.at, run.at + run.count)) visit(child.module, path === "" ? child.name : `${path}.${child.name}`, child.name, `${fold}/${i}`);
    };
    // The root has neither name nor path: only its class and dtypes are searched.
    visit(body.root, "", "", "");
    fc.pre(expected.length <= 2_000);
    if (expected[0]?.path === "" && !words.every((one) => [body.modules[body.root]!.className, ...body.modules[body.root]!.tensors.map(({ dtype }) => dtype)].some((text) => matches(text, one)))) expected.shift();
    const found = find(body, words.join(" "), 500);
    expect(found.matches).toBe(expected.length);
    const grouped = new Map<string, string[]>();
    for (const { path, fold } of expected) grouped.set(fold, [...(grouped.get(fold) ?? []), path]);
    fc.pre(grouped.size <= 500);
    const byFirst = (a: { first: string; last: string }, b: { first: string; last: string }) => (a.first < b.first ? -1 : 1);
    expect(found.hits.map(({ first, last, copies, of }) => ({ first, last, copies, of })).sort(byFirst)).toEqual(
      [...grouped].map(([fold, paths]) => ({ first: paths[0]!, last: paths.at(-1)!, copies: paths.length, of: folds.get(fold)! })).sort(byFirst),
    );
  }), { numRuns: 300 });
});
