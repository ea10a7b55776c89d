// What a model_tree.json must not be: each fault is refused with what is wrong and where; nothing hostile costs more than its size.
import { describe, expect, test } from "vitest";
import { modelTreePart } from "#core/shape/mapper/model-tree-part.ts";
import { readModelTree } from "#core/shape/mapper/read-model-tree.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import { limits } from "#schema/limits.ts";
import { bytesOf, modelTree, node, type Node, tensor } from "./draw-model-tree.ts";

function refusal(document: unknown): string {
  const tree = readModelTree(bytesOf(document));
  if (!tree.ok) return tree.error;
  const part = modelTreePart(tree.value, "", "");
  if (part.ok) throw new Error("it was taken");
  return part.error.detail;
}

const withWeight = (written: unknown): object => modelTree("Net", [node("a", "Block", {}, [node("b", "Linear", {}, [], { weights: { weight: written } })])]);
const shaped = (shape: unknown): object => withWeight({ shape, dtype: "torch.bfloat16" });

describe("refused with what and where", () => {
  test.each<[string, unknown, string]>([
    ["not JSON", '{"schema_version": 2, "tree": {', "cannot be parsed as JSON"],
    ["a list", "[]", 'without a tree: "tree" must be an object of modules, and it is missing'],
    ["no tree", { schema_version: 2, capture_mode: "eager" }, 'without a tree: "tree" must be an object of modules, and it is missing'],
    ["a tree that is a list", { tree: [] }, '"tree" must be an object of modules, and it is something else'],
    ["no root", { tree: { name: "model", children: [node("model", "Net")] } }, '"tree": it has no class, and no child "__root__"'],
    ["children that are no list", modelTree("Net", [{ ...node("a", "Block"), children: {} }]), '"a": its children are no list'],
    ["a child that is no object", modelTree("Net", [node("a", "Block", {}, [7 as unknown as Node])]), '"a": child 0 is no module'],
    ["a module without a class", modelTree("Net", [node("a", "Block", {}, [{ name: "b", children: [] }])]), '"a.b": the module has no class'],
    ["a class that is no text", modelTree("Net", [{ name: "a", class: 5 }]), '"a": the module has no class'],
    ["a module without a name", modelTree("Net", [node("a", "Block", {}, [{ ...node("", "Linear"), path: "" }])]), '"a": child 0 has no name'],
    ["two modules of one name", modelTree("Net", [node("a", "Block"), node("a", "Other")]), 'the root: two of its children are called "a"'],
    ["weights that are a list", modelTree("Net", [node("a", "Linear", {}, [], { weights: [1] })]), '"a": its weights are no object of name and tensor'],
    ["a tensor that is none", withWeight("bfloat16[2]"), '"a.b.weight": no tensor: an object with shape and dtype is needed'],
    ["a tensor without a name", modelTree("Net", [node("a", "Linear", {}, [], { buffers: { "": tensor("int8[1]") } })]), '"a": a tensor among its buffers has no name'],
    ["one name twice", modelTree("Net", [node("a", "Linear", { weight: "int8[1]" }, [], { buffers: { weight: tensor("int8[1]") } })]), '"a.weight": it stands both in the weights and in the buffers'],
    ["no shape", withWeight({ dtype: "torch.bfloat16" }), '"a.b.weight": its shape is missing; it must be a list of integers, 0 or more'],
    ["a shape that is text", shaped("[2, 2]"), '"a.b.weight": its shape is "[2, 2]"; it must be a list of integers'],
    ["a symbolic size", shaped([2, "s0"]), 'its shape is [2,"s0"]'],
    ["a size below 0", shaped([-1]), "its shape is [-1]"],
    ["half an element", shaped([0.5]), "its shape is [0.5]"],
    ["a size beyond exact integers", shaped([2 ** 53]), "it must be a list of integers"],
    ["a product beyond them", shaped([2 ** 40, 2 ** 40]), "a size over 2^53 - 1"],
    ["no dtype", withWeight({ shape: [2] }), '"a.b.weight": its dtype is missing, which names none'],
    ["a dtype that is no name", withWeight({ shape: [2], dtype: "<class 'float'>" }), `its dtype is "<class 'float'>", which names none; one is written "torch.bfloat16"`],
    ["a width that is none", withWeight({ shape: [2], dtype: "torch.int32", role: "parameter", packed_bits: -4 }), "its packed_bits and logical_numel are no width and no count"],
    ["an alias without a target", modelTree("Net", [], { aliases: [{ path: "a" }] }), "aliases[0]: a path and a target are needed"],
    ["an alias of nothing", modelTree("Net", [], { aliases: [{ path: "a", target: "b" }] }), 'aliases: path "a" names no module or tensor of the tree'],
  ])("%s", (_, document, message) => {
    expect(refusal(document)).toContain(message);
  });
});

describe("bounds", () => {
  const chain = (levels: number): string => `${'{"name":"n","class":"C","children":['.repeat(levels)}${"]}".repeat(levels)}`;
  const tree = (children: string): string => `{"schema_version":2,"tree":{"name":"model","children":[{"name":"__root__","class":"Net"},${children}]}}`;

  test("levels: as many as a shape may have are taken, one more is refused with the bound's name, and so are 10,000 and 1,000,000", () => {
    expect(readModelTree(bytesOf(tree(chain(limits.moduleDepthMax - 1)))).ok).toBe(true);
    expect(refusal(tree(chain(limits.moduleDepthMax)))).toMatch(/^a model_tree\.json with a fault at "n\.n.*: levels with the root: 257 is over moduleDepthMax = 256$/);
    for (const levels of [10_000, 1_000_000]) expect(refusal(tree(chain(levels)))).toContain("jsonNestingMax");
  });

  test("200,000 modules are read; as many that differ are refused with the bound's name", { timeout: 60_000 }, () => {
    const list = (className: (i: number) => string, count: number): string => Array.from({ length: count }, (_, i) => `{"name":"${i}","class":"${className(i)}","weights":{"weight":{"shape":[2,3],"dtype":"torch.int8"}}}`).join(",");
    const experts = list(() => "Linear", 499);
    const read = readModelTree(bytesOf(tree(Array.from({ length: 400 }, (_, i) => `{"name":"${i}","class":"ModuleList","children":[${experts}]}`).join(","))));
    const part = read.ok && modelTreePart(read.value, "", "");
    expect(part && part.ok && shapeTotals(part.value.body)).toEqual({ parameters: 6 * 400 * 499, weightBytes: 6 * 400 * 499, modules: 1 + 400 * 500, unsizedTensors: 0 });
    expect(refusal(tree(list((i) => `Linear${i}`, 200_000)))).toContain(`distinct modules until here: ${limits.modulesPerShapeMax + 1} is over modulesPerShapeMax`);
  });

  test("30,000 heads beside as many embeddings cost no more than reading them, and have one note", { timeout: 60_000 }, () => {
    const weight = '"weights":{"weight":{"shape":[2,3],"dtype":"torch.int8"}}';
    const pair = (i: number): string => `{"name":"${i}","class":"Pair","children":[{"name":"lm_head","class":"Linear",${weight}},{"name":"embed","class":"Embedding",${weight}}]}`;
    const json = tree(Array.from({ length: 30_000 }, (_, i) => pair(i)).join(","));
    for (const config of ['{}', '{"tie_word_embeddings":true}']) {
      const read = readModelTree(bytesOf(json.replace("{", `{"config":${config},`)));
      expect(read.ok && read.value.notes.filter((note) => note.includes("tied"))).toEqual([expect.stringMatching(/\(so 29,999 more\)$/)]);
    }
  });

  test("names longer than the contract takes, and a module with more tensors than a shape", () => {
    const long = "n".repeat(limits.nameBytesMax + 1);
    expect(refusal(modelTree("Net", [node(long, "Linear")]))).toContain("the root: the name of child 0, bytes: 16385 is over nameBytesMax = 16384");
    expect(refusal(modelTree("Net", [node("a", long)]))).toContain('"a": its class, bytes: 16385 is over nameBytesMax');
    const many = Object.fromEntries(Array.from({ length: limits.tensorsPerShapeMax + 1 }, (_, i) => [`a${i}_scale`, tensor("int8[1]")]));
    expect(refusal(modelTree("Net", [node("a", "Linear", {}, [], { weights: many })]))).toContain("tensors of one module: 50001 is over tensorsPerShapeMax = 50000");
  });

  test("half a surrogate pair, which UTF-8 does not have, is the replacement character", () => {
    const read = readModelTree(bytesOf(tree(String.raw`{"name":"\ud800","class":"C"}`)));
    expect(read.ok && read.value.body.modules.at(-1)!.children).toEqual([{ name: "\uFFFD", module: 0 }]);
  });

  test("an object's own properties only: a module called __proto__ has nothing of others", () => {
    const read = readModelTree(bytesOf(tree('{"name":"__proto__","class":"constructor","weights":{"__proto__":{"shape":[1],"dtype":"torch.int8"}},"config":{"__proto__":{"bits":4}}}')));
    expect(read.ok && read.value.body.modules[0]).toMatchObject({ className: "constructor", tensors: [{ name: "__proto__", dims: [1] }] });
  });
});
