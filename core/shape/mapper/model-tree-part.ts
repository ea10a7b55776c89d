// The structure read from a model_tree.json as one upload's piece of a model: whole, on one rank, under the identities of docs/shape-format.md. It is checked as the
// ingest checks it, so what is refused is refused before anything is sent.
import { create } from "@bufbuild/protobuf";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { ok, type Result } from "../../result.ts";
import { canonicalShape } from "../canonical.ts";
import { singleRank } from "../layout.ts";
import { modelKey } from "../model-key.ts";
import type { ShapePart } from "../part.ts";
import type { ShapeProblem } from "../problem.ts";
import { decodeShape } from "../upload/decode.ts";
import { encodeShape } from "../upload/encode.ts";
import type { ModelTree } from "./read-model-tree.ts";

const notYet = "0".repeat(64); // the hash is of what decoding makes of the aliases

// `name` stands for the model in its key and on the Models page.
export function modelTreePart(tree: ModelTree, name: string, agentVersion: string): Result<ShapePart, ShapeProblem> {
  const { architecture, quantisation, configDigest, body } = tree;
  const rootClass = body.modules[body.root]!.className;
  const key = modelKey({ rootClass, architecture, configDigest, quantisation, name, ppSize: 1 });
  const sent: ShapePart = { agentVersion, modelKey: key, ppRank: 0, ppSize: 1, partHash: notYet, body, layout: singleRank() };
  const checked = decodeShape(create(ShapeUploadSchema, encodeShape(sent)));
  if (!checked.ok) return checked;
  const canonical = canonicalShape(checked.value.body);
  return ok({ ...checked.value, body: canonical.body, partHash: canonical.shapeId });
}
