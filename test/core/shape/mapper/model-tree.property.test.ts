// A shape written as model_tree.json and read again is the shape, with what it shares, its quantisation state and its packing; so is each of its sizes.
import fc from "fast-check";
import { expect, test } from "vitest";
import { splitAliases } from "#core/shape/alias.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import { modelTreePart } from "#core/shape/mapper/model-tree-part.ts";
import { readModelTree } from "#core/shape/mapper/read-model-tree.ts";
import { modelTreeText } from "#core/shape/mapper/write-model-tree.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { modelObject, shapeOf } from "../shared-objects.ts";

const oddNames = fc.constantFrom("__root__", "__proto__", "constructor", "a.b", "\u001b[2J", "é\u202e", '"', "0", "\\");

function throughFile(body: ShapeBody): ShapeBody {
  const text = modelTreeText(body, "org/net");
  if (!text.ok) throw new Error(text.error);
  const tree = readModelTree(Buffer.concat(text.value));
  if (!tree.ok) throw new Error(tree.error);
  expect(tree.value).toMatchObject({ nameOrPath: "org/net", architecture: body.architecture, quantisation: "" });
  const part = modelTreePart(tree.value, tree.value.nameOrPath, "");
  if (!part.ok) throw new Error(part.error.detail);
  return part.value.body;
}

// What buffers share is the layout's, and no shape that is stored has it.
function stored(body: ShapeBody): ShapeBody {
  return canonicalShape({ ...body, aliases: splitAliases(body).ofWeights }).body;
}

test("written and read again, a shape is the same shape", () => {
  fc.assert(
    fc.property(modelObject(true), (model) => {
      const body = stored(shapeOf(model));
      expect(throughFile(body)).toEqual(body);
    }),
    { numRuns: 300 },
  );
});

test("whatever its modules, classes and tensors are called", () => {
  fc.assert(
    fc.property(modelObject(false), oddNames, oddNames, oddNames, (model, module, className, tensor) => {
      const body = shapeOf(model);
      for (const row of body.modules) {
        row.className += className;
        if (row.children.length > 0) row.children.at(-1)!.name = module;
        if (row.tensors.length === 1) row.tensors[0]!.name = tensor;
      }
      const { body: odd } = canonicalShape(body);
      fc.pre(odd.modules.every(({ children }) => new Set(children.map(({ name }) => name)).size === children.length));
      expect(throughFile({ ...odd, architecture: "NetForCausalLM" })).toEqual({ ...odd, architecture: "NetForCausalLM" });
    }),
    { numRuns: 300 },
  );
});
