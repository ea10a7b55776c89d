// Laws over random models. fast-check prints the seed and the smallest model that breaks one.
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { splitAliases } from "#core/shape/alias.ts";
import { decodeShape } from "#core/shape/upload/decode.ts";
import { encodeShape } from "#core/shape/upload/encode.ts";
import { foldChildren, unfoldRuns } from "#core/shape/fold.ts";
import { mergeParts } from "#core/shape/merge.ts";
import { moduleHashes } from "#core/shape/module-text.ts";
import { rowTotals, shapeTotals } from "#core/shape/totals.ts";
import { treeText } from "#core/shape/tree-text.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { modelObject, shapeOf, trueCounts, type ModuleObject } from "./shared-objects.ts";

const runs = { numRuns: 300 };

// The subtree of a row, unfolded into one text.
function unfolded({ modules }: ShapeBody, row: number): string {
  const { className, tensors, children } = modules[row]!;
  return JSON.stringify([className, tensors, children.map(({ name, module }) => [name, unfolded({ modules } as ShapeBody, module)])]);
}

test("two modules have one hash exactly when they are the same structure", () => {
  fc.assert(
    fc.property(modelObject(true), modelObject(true), (a, b) => {
      const [left, right] = [shapeOf(a), shapeOf(b)];
      const all = [left, right].flatMap((body) => moduleHashes(body.modules).map((hash, row) => ({ hash, text: unfolded(body, row) })));
      for (const one of all) for (const other of all) expect(one.hash === other.hash).toBe(one.text === other.text);
    }),
    runs,
  );
});

test("any change of one tensor's dims, dtype or packing changes the shape id", () => {
  fc.assert(
    fc.property(modelObject(true), fc.nat(), fc.constantFrom("dims", "dtype", "packing"), (model, pick, change) => {
      const body = shapeOf(model);
      const before = canonicalShape(body).shapeId;
      const holders = body.modules.filter(({ tensors }) => tensors.length > 0);
      fc.pre(holders.length > 0);
      const tensor = holders[pick % holders.length]!.tensors[0]!;
      if (change === "dims") tensor.dims = [...tensor.dims, 1];
      if (change === "dtype") tensor.dtype += "x";
      if (change === "packing") tensor.packedBits += 1;
      expect(canonicalShape(body).shapeId).not.toBe(before);
    }),
    runs,
  );
});

test("the rows sent, their order and the rows stored are the same shape", () => {
  fc.assert(
    fc.property(modelObject(true), (model) => {
      const body = shapeOf(model);
      const canonical = canonicalShape(body);
      expect(canonicalShape(canonical.body)).toEqual(canonical);
      expect(unfolded(canonical.body, canonical.body.root)).toBe(unfolded(body, body.root));
    }),
    runs,
  );
});

test("counts are those of the objects: what is shared counts once", () => {
  fc.assert(
    fc.property(modelObject(true), (model) => {
      expect(shapeTotals(shapeOf(model))).toEqual(trueCounts(model));
    }),
    runs,
  );
});

test("without sharing, every subtree counts what an unfolded walk counts", () => {
  fc.assert(
    fc.property(modelObject(false), (model) => {
      const body = shapeOf(model);
      const totals = rowTotals(body);
      const visit = (module: ModuleObject, row: number): void => {
        expect(totals[row]).toEqual(trueCounts(module));
        module.children.forEach(({ module: child }, i) => visit(child, body.modules[row]!.children[i]!.module));
      };
      visit(model, body.root);
    }),
    runs,
  );
});

test("an upload decodes to what was encoded", () => {
  fc.assert(
    fc.property(modelObject(true), (model) => {
      const sent = shapeOf(model);
      const { ofWeights, ofBuffers } = splitAliases(sent);
      const body = { ...sent, aliases: ofWeights };
      const layout = { tpSize: 1, ppSize: 1, epSize: 1, dpSize: 1, sharded: [], padded: [], replicated: [], aliases: ofBuffers };
      const part = { agentVersion: "", modelKey: "0".repeat(32), ppRank: 0, ppSize: 1, partHash: "0".repeat(64), body, layout };
      expect(decodeShape(create(ShapeUploadSchema, encodeShape(part)))).toEqual({ ok: true, value: part });
    }),
    runs,
  );
});

test("folding keeps order and counts, and folds all it may", () => {
  const children = fc.array(fc.record({ name: fc.constantFrom("", "x"), module: fc.nat(2) }), { maxLength: 40 });
  fc.assert(
    fc.property(children, (drawn) => {
      const named = drawn.map(({ name, module }, i) => ({ name: `${name}${i}`, module }));
      const folded = foldChildren(named);
      expect(unfoldRuns(folded)).toEqual(named);
      for (const [i, run] of folded.entries()) {
        const next = folded[i + 1];
        if (next !== undefined && !run.last.startsWith("x") && !next.first.startsWith("x")) expect(next.module).not.toBe(run.module);
      }
    }),
    runs,
  );
});

test("a model split in stages and merged is the model", () => {
  fc.assert(
    fc.property(modelObject(false), fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat(3)), (model, ppSize, stageOf) => {
      const whole = shapeOf(model);
      const stages = new Map<ModuleObject, number>();
      const assign = (module: ModuleObject): void => module.children.forEach(({ module: child }) => (stages.set(child, stageOf.next().value % ppSize), assign(child)));
      assign(model);
      const keep = (module: ModuleObject, rank: number): ModuleObject => ({
        ...module,
        children: module.children.map(({ name, module: child }) => ({ name, module: holds(child, rank) ? keep(child, rank) : missing })),
      });
      // A stage holds a module when it is its own or something below it is.
      const holds = (module: ModuleObject, rank: number): boolean => stages.get(module) === rank || module.children.some(({ module: child }) => holds(child, rank));
      const missing: ModuleObject = { className: "PPMissingLayer", tensors: [], children: [] };
      const parts = Array.from({ length: ppSize }, (_, ppRank) => ({ ppRank, ppSize, body: { ...shapeOf(keep(model, ppRank)), aliases: [] } }));
      const merged = mergeParts(parts);
      expect(merged.ok && canonicalShape(merged.value)).toEqual(canonicalShape(whole));
    }),
    runs,
  );
});

test("depth costs no stack: 5,000 levels, far beyond what decode lets in", () => {
  const modules = [{ className: "Leaf", tensors: [], children: [] as { name: string; module: number }[] }];
  for (let row = 1; row < 5_000; row++) modules.push({ className: "Link", tensors: [], children: [{ name: "next", module: row - 1 }] });
  const body = { architecture: "", modules, root: 4_999, aliases: [] };
  const changed = { ...body, modules: modules.map((module, row) => (row === 0 ? { ...module, className: "PPMissingLayer" } : module)) };
  expect(canonicalShape(body).body.modules).toHaveLength(5_000);
  expect(shapeTotals(body).modules).toBe(5_000);
  expect(treeText(body, "deep").split("\n")).toHaveLength(5_001);
  const merged = mergeParts([body, changed].map((stage, ppRank) => ({ ppRank, ppSize: 2, body: stage })));
  expect(merged.ok && canonicalShape(merged.value).shapeId).toBe(canonicalShape(body).shapeId);
});
