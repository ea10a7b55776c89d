// model_tree.json as vllm_arch_map writes it → a shape: paths, classes, counts computed by hand, and in notes what the file cannot say.
import { describe, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { modelTreePart } from "#core/shape/mapper/model-tree-part.ts";
import { type ModelTree, readModelTree } from "#core/shape/mapper/read-model-tree.ts";
import { modelKey } from "#core/shape/model-key.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import { treeText } from "#core/shape/tree-text.ts";
import { drawShape } from "../draw-shape.ts";
import { buffers, bytesOf, modelTree, node, type Node } from "./draw-model-tree.ts";

function read(document: unknown): ModelTree {
  const tree = readModelTree(bytesOf(document));
  if (!tree.ok) throw new Error(tree.error);
  return tree.value;
}

function shapeIdOf(document: unknown): string {
  const part = modelTreePart(read(document), "org/net", "test");
  if (!part.ok) throw new Error(part.error.detail);
  return part.value.partHash;
}

const layer = (name: string): Node => node(name, "NetLayer", {}, [
  node("attn", "NetAttention", {}, [node("qkv", "QKVParallelLinear", { weight: "bfloat16[12,8]", bias: "bfloat16[12]" }), node("rotary", "RotaryEmbedding", {}, [], buffers({ cache: "float32[16,2]" }))]),
  node("norm", "RMSNorm", { weight: "float32[8]" }),
]);
const embed = node("embed", "VocabParallelEmbedding", { weight: "bfloat16[100,8]" });
const net = node("model", "NetModel", {}, [embed, node("layers", "ModuleList", {}, [layer("0"), layer("1"), layer("2")])]);
const head = node("lm_head", "ParallelLMHead", { weight: "bfloat16[100,8]" });

// The same structure, drawn without the file.
const drawn = drawShape(`NetForCausalLM
  model NetModel
    embed VocabParallelEmbedding weight:bfloat16[100,8]
    layers ModuleList
      0..2 NetLayer
        attn NetAttention
          qkv QKVParallelLinear weight:bfloat16[12,8] bias:bfloat16[12]
          rotary RotaryEmbedding ~cache:float32[16,2]
        norm RMSNorm weight:float32[8]
  lm_head ParallelLMHead weight:bfloat16[100,8]`, {}, "NetForCausalLM");

describe("the structure", () => {
  const tree = read(modelTree("NetForCausalLM", [net, head]));

  test("the root holds its siblings; equal layers are one row; parameters, bytes and modules as counted by hand", () => {
    // 100 × 8 twice; a layer has 12 × 8 + 12 in bfloat16 and 8 in float32. Modules: root, model, embed, layers, 3 × 5, lm_head.
    expect(shapeTotals(tree.body)).toEqual({ parameters: 1_600 + 3 * (96 + 12 + 8), weightBytes: 2 * 1_600 + 3 * (2 * 108 + 4 * 8), modules: 4 + 15 + 1, unsizedTensors: 0 });
    expect(tree.body.modules).toHaveLength(10);
    expect(treeText(tree.body, tree.nameOrPath)).toBe([
      "org/net  NetForCausalLM  1,948 parameters · 3.9 kB · 20 modules · bfloat16, float32",
      "  model  NetModel  1,148 · bfloat16, float32",
      "    embed  VocabParallelEmbedding  800 · bfloat16",
      "    layers  ModuleList  348 · bfloat16, float32",
      "      layers.0 … layers.2  NetLayer ×3  116 each · bfloat16, float32",
      "        attn  NetAttention  108 · bfloat16",
      "          qkv  QKVParallelLinear  108 · bfloat16",
      "          rotary  RotaryEmbedding",
      "        norm  RMSNorm  8 · float32",
      "  lm_head  ParallelLMHead  800 · bfloat16",
      "",
    ].join("\n"));
  });

  test("has the identities the house defines: shape, model key", () => {
    const part = modelTreePart(tree, "org/net", "test");
    expect(part).toMatchObject({ ok: true, value: { partHash: canonicalShape(drawn).shapeId, ppRank: 0, ppSize: 1, layout: { tpSize: 1, aliases: [] } } });
    // config_digest({"architectures": ["NetForCausalLM"]}) of agent-native/python/lamella/canonical.py
    const configDigest = "36f675e35aef5df4931c95b60139c25a56fae0546f3162b3aee943b2d435c8e6";
    expect(part.ok && part.value.modelKey).toBe(modelKey({ rootClass: "NetForCausalLM", architecture: "NetForCausalLM", configDigest, quantisation: "", name: "org/net", ppSize: 1 }));
  });

  test("a tree that is the root itself, and a root that holds its children, are the same", () => {
    const children = [net, head];
    const whole = modelTree("NetForCausalLM", [], { tree: { name: "model", class: "NetForCausalLM", children } });
    const nested = modelTree("NetForCausalLM", [], { tree: { name: "model", children: [{ ...node("", "NetForCausalLM", {}, children), path: "" }] } });
    expect([whole, nested].map(shapeIdOf)).toEqual([canonicalShape(drawn).shapeId, canonicalShape(drawn).shapeId]);
  });

  test("a name that is missing is the end of the path; a parameter that is None is none; control characters are names like others", () => {
    const odd = "a\u001b[2J\u202e\t";
    const document = modelTree("Net", [{ ...node("x", odd, { [odd]: "int8[2]" }), name: "", path: odd }, node("bare", "Linear", {}, [], { weights: { bias: null } })]);
    expect(shapeIdOf(document)).toBe(canonicalShape({ architecture: "", root: 2, aliases: [], modules: [
      { className: odd, tensors: [{ name: odd, role: "parameter", dtype: "int8", dims: [2], packedBits: 0, logicalNumel: 0, bytes: 2 }], children: [] },
      { className: "Linear", tensors: [], children: [] },
      { className: "Net", tensors: [], children: [{ name: odd, module: 0 }, { name: "bare", module: 1 }] },
    ] }).shapeId);
  });

  test("NaN and Infinity, which Python writes into configurations, are read over; so is a byte order mark", () => {
    const text = JSON.stringify(modelTree("NetForCausalLM", [net, head], { config: { limit: "@" } })).replace('"@"', "[NaN, -Infinity]");
    expect(shapeIdOf(`\uFEFF${text}`)).toBe(canonicalShape(drawn).shapeId);
  });
});

describe("what the file cannot say is said in a note", () => {
  const notesOf = (children: Node[], more: object = {}): string[] => read(modelTree("Net", children, more)).notes;
  const tied = { config: { tie_word_embeddings: true } };

  test("a file like any: only that sharing is not marked", () => {
    expect(notesOf([net], { config: { tie_word_embeddings: false } })).toEqual([expect.stringContaining("The format does not mark what is shared")]);
  });

  test("tied weights of equal sizes are taken to be one, which counts once, and a note says so", () => {
    const document = modelTree("Net", [net, head], tied);
    expect(read(document).body.aliases).toEqual([{ path: "lm_head.weight", target: "model.embed.weight" }]);
    expect(shapeTotals(read(document).body).parameters).toBe(800 + 348);
    expect(read(document).notes[0]).toBe("model_tree.json does not mark tied weights: lm_head.weight is taken to share model.embed.weight, since config.tie_word_embeddings is true and both are [100, 8] bfloat16");
    // The head before the embedding: the first of them holds the tensor.
    expect(read(modelTree("Net", [head, net], tied)).body.aliases).toEqual([{ path: "model.embed.weight", target: "lm_head.weight" }]);
  });

  test.each<[string, Node[], object, string]>([
    ["other sizes", [net, node("lm_head", "ParallelLMHead", { weight: "bfloat16[104,8]" })], tied, "lm_head.weight counts although it may be the embedding's: config.tie_word_embeddings is true, and no embedding has its sizes and dtype"],
    ["another dtype", [net, node("lm_head", "ParallelLMHead", { weight: "float16[100,8]" })], tied, "no embedding has its sizes and dtype"],
    ["two embeddings that it could be", [net, node("other", "Embedding", { weight: "bfloat16[100,8]" }), head], tied, "2 embeddings have its sizes and dtype"],
    ["no word of it", [net, head], {}, "lm_head.weight counts although it may be model.embed.weight: the configuration in the file does not say whether they are tied"],
    ["a head that is the embedding's module", [net], { config: { text_config: { tie_word_embeddings: true } } }, "the head is the embedding, which counts once"],
  ])("a head that may be tied: %s", (_, children, more, note) => {
    const tree = read(modelTree("Net", children, more));
    expect(tree.body.aliases).toEqual([]);
    expect(tree.notes[0]).toContain(note);
  });

  test("source text, paths of files, settings and implementations are counted and go nowhere", () => {
    const secret = "/private/net.py";
    const analysed = { init: { source: "class Secret", source_file: secret, operations: [{ id: "s0" }] }, forward: { source: "return Secret", source_file: secret }, config: { in_features: 8, secret }, implementations: { impl: { class: "SecretImpl" } } };
    const tree = read(modelTree("Net", [node("a", "Linear", { weight: "bfloat16[4,8]" }, [], analysed)], { invocations: [{ id: 1, module: "a" }] }));
    expect(tree.notes.at(-1)).toBe("A shape has no place for these, and they are not sent: settings of 1 module, implementations of 1 module, source text and file paths of 1 module, 1 invocation");
    expect(JSON.stringify(tree)).not.toMatch(/secret|private/i);
  });

  test.each([
    ["/models/Qwen3-8B/", "Qwen3-8B"], ["C:\\models\\net", "net"], ["~/net", "net"], ["file:///models/net", "net"],
  ])("a model named by a path, %s, is %s", (model, name) => {
    const tree = read(modelTree("Net", [net], { model }));
    expect([tree.nameOrPath, tree.notes.find((note) => note.includes("path of the machine"))]).toEqual([name, expect.stringContaining(`"${name}" stands for it`)]);
    expect(JSON.stringify(tree)).not.toContain("models");
  });

  test("another version, paths that do not fit the tree, dtypes without a size", () => {
    const notes = notesOf([node("a", "Linear", { weight: "float3_odd[4]" }), { ...node("b", "Linear"), path: "c.d" }], { schema_version: 3 });
    expect(notes[0]).toBe("schema_version is 3, and 2 is known: it was read as 2");
    expect(notes).toContain("c.d: the path is not where the module stands in the tree; the tree was taken");
    expect(notes).toContain("Without a known size, so they count no bytes: float3_odd");
  });
});
