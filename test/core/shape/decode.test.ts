import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { decodeShape } from "#core/shape/upload/decode.ts";
import { encodeShape, type ShapeUploadInit } from "#core/shape/upload/encode.ts";
import type { ShapePart } from "#core/shape/part.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { limits } from "#schema/limits.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";

const layout = { tpSize: 4, ppSize: 1, epSize: 1, dpSize: 2, sharded: [], padded: [], replicated: [], aliases: [] };

function partOf(body: ShapeBody): ShapePart {
  return { agentVersion: "test 1", modelKey: "ab".repeat(16), ppRank: 0, ppSize: 1, partHash: canonicalShape(body).shapeId, body, layout };
}

// As it arrives: through the bytes of the wire.
function decodeBytes(upload: ShapeUploadInit): ReturnType<typeof decodeShape> {
  return decodeShape(fromBinary(ShapeUploadSchema, toBinary(ShapeUploadSchema, create(ShapeUploadSchema, upload))));
}

describe("what is encoded comes back", () => {
  test.each<[string, ShapeBody]>([
    ["Qwen3-32B with a tied head", qwen3({ "lm_head.weight": "model.embed_tokens.weight" })],
    ["one module with nothing in it", drawShape("Net")],
    ["every role, packing, a scalar, a zero size", drawShape("Net a:float32[] b:float32[0,4] ~c:int64[3] %d:uint8[2] e:int32[6,32]/3=2048")],
    ["names with tabs, line ends and characters of every plane", { architecture: "", modules: [{ className: "A\t%\n模𝒳", tensors: [], children: [] }], root: 0, aliases: [] }],
  ])("%s", (_, body) => {
    const decoded = decodeBytes(encodeShape(partOf(body)));
    expect(decoded).toEqual({ ok: true, value: partOf(body) });
  });

  test("Qwen3-32B takes less than 2 kB", () => {
    expect(toBinary(ShapeUploadSchema, create(ShapeUploadSchema, encodeShape(partOf(qwen3())))).length).toBeLessThan(2_000);
  });

  test("what a layout says of tensors, by path and by pattern", () => {
    const body = drawShape("Net\n  layers List\n    0..3 Layer weight:float32[8,4]\n  head Linear weight:float32[100,4]");
    const facts = { ...layout, sharded: [{ path: "layers.*.weight", dim: 1 }], padded: [{ path: "head.weight", dim: 0, size: 128 }], replicated: [{ path: "layers.2.weight", replicas: 2 }] };
    const decoded = decodeShape(create(ShapeUploadSchema, encodeShape({ ...partOf(body), layout: facts })));
    expect(decoded.ok && decoded.value.layout).toEqual(facts);
    const astray = { ...facts, sharded: [{ path: "layers.*.weight", dim: 2 }] };
    expect(decodeShape(create(ShapeUploadSchema, encodeShape({ ...partOf(body), layout: astray })))).toMatchObject({ ok: false, error: { code: "body_undecodable", detail: 'layout: dimension 2 of "layers.*.weight", which has 2' } });
  });

  test("the run, where one is said", () => {
    const part = { ...partOf(drawShape("Net")), runId: "0f".repeat(16) };
    expect(decodeBytes(encodeShape(part))).toEqual({ ok: true, value: part });
    expect(encodeShape(partOf(drawShape("Net"))).runId).toBe("");
  });

  test("sizes of 0 in a layout, or no layout at all, mean not split", () => {
    const { layout: _, ...upload } = encodeShape(partOf(drawShape("Net")));
    const decoded = decodeShape(create(ShapeUploadSchema, upload));
    expect(decoded.ok && decoded.value.layout).toEqual({ tpSize: 1, ppSize: 1, epSize: 1, dpSize: 1, sharded: [], padded: [], replicated: [], aliases: [] });
  });
});

// One thing wrong at a time with: row 1 Linear (weight), row 2 Net (a → 1, b → 1), b.weight shares a.weight.
const picture = `
  Net
    a Linear weight:float32[4,4]
    b Linear weight:float32[4,4]`;

describe("what is wrong is named by table, row and column", () => {
  const cases: [string, (upload: ShapeUploadInit) => void, string][] = [
    ["no model key", (u) => (u.modelKey = ""), 'model_key must be 32 lower-case hex digits, not ""'],
    ["hash in capitals", (u) => (u.partHash = "AB".repeat(32)), "part_hash must be 64 lower-case hex digits"],
    ["a run in words", (u) => (u.runId = "job 7"), 'run_id must be 32 lower-case hex digits or empty, not "job 7"'],
    ["no stages", (u) => (u.ppSize = 0), "pp_size is 0; a model in one piece has 1"],
    ["stage out of range", (u) => (u.ppRank = 1), "pp_rank is 1, but pp_size is 1"],
    ["strings without the empty row", (u) => (u.strings = u.strings.slice(1)), 'strings: row 0 must be ""'],
    ["no strings", (u) => (u.strings = []), 'strings: row 0 must be ""'],
    ["a text twice", (u) => u.strings.push("Net"), "repeats row"],
    ["columns of different length", (u) => u.tensors.dtype.push(1), "tensors: column name has 2 rows, dtype has 3; make them equal or leave one empty"],
    ["row 0 in use", (u) => (u.tensors.name[0] = 1), 'tensors: row 0, column name must be 0: row 0 means "not set"'],
    ["tensor without a name", (u) => (u.tensors.name[1] = 0), "tensors: row 1, column name is not set"],
    ["tensor name out of range", (u) => (u.tensors.name[1] = 99), "tensors: row 1, column name is 99, but strings has 9 rows"],
    ["tensor without a dtype", (u) => (u.tensors.dtype = []), "tensors: row 1, column dtype is not set"],
    ["no role", (u) => (u.tensors.role[1] = 0), "tensors: row 1, column role is 0; it must be 1"],
    ["unknown role", (u) => (u.tensors.role[1] = 9 as never), "tensors: row 1, column role is 9"],
    ["rank beyond the dims", (u) => (u.tensors.rank[1] = 3), "tensors: row 1, column rank is 3, but dim has only 2 values left"],
    ["dims left over", (u) => u.tensors.dim.push(1n), "tensors: column dim has 3 values, column rank asks for 2"],
    ["a size beyond exact numbers", (u) => (u.tensors.dim[0] = 1n << 60n), "tensors: row 1, columns dim and logical_numel: the size is over 2^53 - 1"],
    ["a product beyond exact numbers", (u) => (u.tensors.dim = [1n << 30n, 1n << 30n]), "tensors: row 1, columns dim and logical_numel: the size is over 2^53 - 1"],
    ["logical elements of what is not packed", (u) => (u.tensors.logicalNumel[1] = 16n), "tensors: row 1, column logical_numel is 16, but packed_bits is 0"],
    ["no modules", (u) => (u.modules.className = []), "modules: row 1, column class_name is not set"],
    ["no root", (u) => (u.root = 0), "root is not set"],
    ["root out of range", (u) => (u.root = 3), "root is 3, but modules has 3 rows"],
    ["module without a class", (u) => (u.modules.className[1] = 0), "modules: row 1, column class_name is not set"],
    ["class out of range", (u) => (u.modules.className[2] = 77), "modules: row 2, column class_name is 77"],
    ["tensor count beyond the list", (u) => (u.modules.tensorCount[2] = 5), "modules: row 2, column tensor_count ends at 6, but tensor has 1 values"],
    ["tensors left over", (u) => (u.modules.tensorCount[1] = 0), "modules: column tensor has 1 values, tensor_count asks for 0"],
    ["tensor out of range", (u) => (u.modules.tensor[0] = 2), "modules: row 1, column tensor is 2, but tensors has 2 rows"],
    ["child count beyond the list", (u) => (u.modules.childCount[2] = 3), "modules: row 2, column child_count ends at 3, but child has 2 values"],
    ["children left over", (u) => (u.modules.childCount[2] = 1), "modules: column child has 2 values, child_count asks for 1"],
    ["a child that is its own parent", (u) => (u.modules.child[0] = 2), "modules: row 2, column child is 2, but what precedes it has 2 rows"],
    ["a child that is not set", (u) => (u.modules.child[0] = 0), "modules: row 2, column child is not set"],
    ["a child name too few", (u) => u.modules.childName.pop(), "modules: column child has 2 values, child_name has 1"],
    ["two children of one name", (u) => (u.modules.childName[1] = u.modules.childName[0]!), 'modules: row 2, column child_name names "a" twice'],
    ["two tensors of one name", (u) => ((u.modules.tensor = [1, 1]), (u.modules.tensorCount[1] = 2)), 'modules: row 1, column tensor names "weight" twice'],
    ["a module below nothing", (u) => ((u.root = 1), undefined), "modules: row 2 is not below the root (row 1)"],
    ["aliases of different length", (u) => u.aliasPath.push(1), "aliases: alias_path has 2 values, alias_target has 1"],
    ["alias out of range", (u) => (u.aliasTarget[0] = 50), "aliases: row 0, column alias_target is 50, but strings has 9 rows"],
    ["layout of different length", (u) => u.layout.shardedDim.push(1), "layout: sharded_path has 0 values, sharded_dim has 1"],
  ];

  test.each(cases)("%s", (_, spoil, expected) => {
    const upload = encodeShape(partOf(drawShape(picture, { "b.weight": "a.weight" })));
    expect(decodeBytes(upload).ok).toBe(true);
    spoil(upload);
    const decoded = decodeShape(create(ShapeUploadSchema, upload));
    expect(decoded).toMatchObject({ ok: false, error: { code: "body_undecodable" } });
    expect(!decoded.ok && decoded.error.detail).toContain(expected);
  });

  test("an empty message", () => {
    expect(decodeShape(create(ShapeUploadSchema)).ok).toBe(false);
  });
});

describe("aliases", () => {
  const nested = `
    Net
      a Block
        x Linear weight:float32[4]
        y Linear weight:float32[4]
      b Block
        x Linear weight:float32[4]
        y Linear weight:float32[4]`;
  test.each<[string, Record<string, string>, string]>([
    ["a path that is not there", { "c.weight": "a.x.weight" }, 'path "c.weight" names no module or tensor'],
    ["a target that is not there", { b: "c" }, 'target "c" of "b" names no module or tensor'],
    ["a module and a tensor", { "b.x": "a.x.weight" }, '"b.x" and its target "a.x.weight" are not both modules or both tensors'],
    ["the first naming the second", { a: "b" }, 'target "b" must come before "a" in pre-order'],
    ["one in another", { b: "a", "b.x": "a.x" }, 'path "b.x" lies in "b", which is an alias already'],
    ["a target that is shared itself", { "b.x": "a.x", "b.y.weight": "b.x.weight" }, 'target "b.x.weight" of "b.y.weight" is itself shared: name "a.x"'],
    ["a path in its own target", { "a.x": "a" }, '"a.x" lies in its own target "a"'],
    ["the root", { "": "a" }, 'the root cannot share the tensors of "a"'],
  ])("%s is refused", (_, aliases, expected) => {
    const decoded = decodeBytes(encodeShape(partOf(drawShape(nested, aliases))));
    expect(!decoded.ok && decoded.error.detail).toContain(expected);
  });

  test("listed twice is refused", () => {
    const upload = encodeShape(partOf(drawShape(nested, { b: "a" })));
    upload.aliasPath.push(upload.aliasPath[0]!);
    upload.aliasTarget.push(upload.aliasTarget[0]!);
    const decoded = decodeBytes(upload);
    expect(!decoded.ok && decoded.error.detail).toContain('path "b" is listed twice');
  });

  test("one stage of a pipeline may share what another holds", () => {
    const body = drawShape("Net\n  lm_head Linear weight:float32[4]", { "lm_head.weight": "embed.weight" });
    expect(decodeBytes(encodeShape({ ...partOf(body), ppRank: 1, ppSize: 2 })).ok).toBe(true);
    expect(decodeBytes(encodeShape(partOf(body))).ok).toBe(false);
  });
});

describe("bounds", () => {
  function chain(depth: number, children: (row: number) => { name: string; module: number }[]): ShapeBody {
    const modules = Array.from({ length: depth }, (_, row) => ({ className: "Link", tensors: [], children: row === 0 ? [] : children(row) }));
    return { architecture: "", modules, root: depth - 1, aliases: [] };
  }
  const refused = (body: ShapeBody): unknown => decodeShape(create(ShapeUploadSchema, encodeShape({ ...partOf(drawShape("Net")), body })));
  const single = (row: number): { name: string; module: number }[] => [{ name: "next", module: row - 1 }];

  test("depth", () => {
    expect(refused(chain(limits.moduleDepthMax, single))).toMatchObject({ ok: true });
    expect(refused(chain(limits.moduleDepthMax + 1, single))).toEqual({
      ok: false,
      error: { code: "limit_exceeded", detail: "modules: levels below and with the root: 257 is over moduleDepthMax = 256" },
    });
  });

  test("a hundred rows that stand for 2^100 modules", () => {
    const doubling = chain(100, (row) => [{ name: "a", module: row - 1 }, { name: "b", module: row - 1 }]);
    expect(refused(doubling)).toMatchObject({ ok: false, error: { code: "limit_exceeded", detail: expect.stringContaining("modulesInTreeMax") as string } });
  });

  test("rows", () => {
    const modules = Array.from({ length: limits.modulesPerShapeMax }, () => ({ className: "Leaf", tensors: [], children: [] }));
    const root = { className: "Net", tensors: [], children: modules.map((_, module) => ({ name: String(module), module })) };
    expect(refused({ architecture: "", modules: [...modules, root], root: modules.length, aliases: [] })).toMatchObject({
      ok: false,
      error: { code: "limit_exceeded", detail: `modules: ${limits.modulesPerShapeMax + 1} is over modulesPerShapeMax = ${limits.modulesPerShapeMax}` },
    });
    const upload = encodeShape(partOf(drawShape("Net")));
    upload.modules.className = [0, ...Array.from({ length: limits.modulesPerShapeMax + 1 }, () => 1)];
    upload.modules.tensorCount = [];
    upload.modules.childCount = [];
    expect(decodeShape(create(ShapeUploadSchema, upload))).toMatchObject({ ok: false, error: { detail: `modules: ${limits.modulesPerShapeMax + 1} is over modulesPerShapeMax = ${limits.modulesPerShapeMax}` } });
  });

  test("aliases, and names", () => {
    const upload = encodeShape(partOf(drawShape("Net")));
    upload.aliasPath = upload.aliasTarget = Array.from({ length: limits.aliasesPerShapeMax + 1 }, () => 1);
    expect(decodeShape(create(ShapeUploadSchema, upload))).toMatchObject({ ok: false, error: { detail: "aliases: 100001 is over aliasesPerShapeMax = 100000" } });
    const long = "é".repeat(limits.nameBytesMax / 2) + "x";
    expect(refused({ architecture: "", modules: [{ className: long, tensors: [], children: [] }], root: 0, aliases: [] })).toMatchObject({
      ok: false,
      error: { code: "limit_exceeded", detail: "strings: row 1, bytes: 16385 is over nameBytesMax = 16384" },
    });
  });
});
