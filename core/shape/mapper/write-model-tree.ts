// A stored shape as model_tree.json, schema_version 2, for readers of that format (read-model-tree.ts is one). The root stands among its own children, as the format
// has it. What a shape does not have (devices, strides, settings, implementations, source) is left out or says "unavailable".
// Three additions let the file carry a shape whole: `aliases` of the document, and of a tensor its `role` and, when packed, `packed_bits` and `logical_numel`.
// A folded shape is unfolded piece by piece: memory is that of the text.
import type { ModuleRow, ShapeBody, TensorRow } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "../../result.ts";
import { encodeUtf8 } from "../../utf8.ts";
import { joinPath } from "../locate.ts";
import { rootName } from "./read-modules.ts";

const unavailable = { evidence: "unavailable", operations: [] }; // as the format says that there is no analysis of the source

const limitations = [
  "Written by Lamella from a stored shape: no devices, strides, module settings, implementations or source, and of the configuration the architecture only",
  "Sizes are those of the whole model, also where it ran sharded",
];

// UTF-8, in pieces. The error says which bound the text is over.
export function modelTreeText(body: ShapeBody, modelName: string): Result<Uint8Array[], string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (const text of modelTreePieces(body, modelName)) {
    const piece = encodeUtf8(text);
    bytes += piece.length;
    if (bytes > limits.modelTreeBytesMax) return err(`model_tree.json lists every copy of a module, and for this model it has more than modelTreeBytesMax = ${limits.modelTreeBytesMax} bytes`);
    pieces.push(piece);
  }
  return ok(pieces);
}

interface OpenModule {
  row: ModuleRow;
  path: string;
  next: number;
}

function* modelTreePieces(body: ShapeBody, modelName: string): Generator<string> {
  const { architecture, modules, root, aliases } = body;
  const config = architecture === "" ? {} : { architectures: [architecture] };
  const head = JSON.stringify({ schema_version: 2, model: modelName, source: "lamella_shape", capture_mode: "structure", config, aliases, limitations, invocations: [] }, null, 1);
  yield `${head.slice(0, -2)},\n "tree": {"name": "model", "children": [\n${nodeText(modules[root]!, rootName, rootName)}]}`;
  // The children of the root come after it in the same list.
  const open: OpenModule[] = [{ row: modules[root]!, path: "", next: 0 }];
  for (let top = open[0]; top !== undefined; top = open.at(-1)) {
    const child = top.row.children[top.next++];
    if (child === undefined) {
      open.pop();
      yield open.length === 0 ? "\n ]}\n}\n" : "]}";
      continue;
    }
    const path = joinPath(top.path, child.name);
    const row = modules[child.module]!;
    yield `${top.next === 1 && open.length > 1 ? "" : ","}\n${nodeText(row, child.name, path)}`;
    open.push({ row, path, next: 0 });
  }
}

// All of a node but the end of its children.
function nodeText({ className, tensors }: ModuleRow, name: string, path: string): string {
  const { weights, buffers } = byRegistration(tensors);
  const node = { name, path, class: className, weights, buffers, config: {}, implementations: {}, init: unavailable, forward: unavailable };
  return `${JSON.stringify(node).slice(0, -1)},"children":[`;
}

// Parameters are registered before buffers: from the first buffer on, all are (packed weights and their scales often are).
function byRegistration(tensors: readonly TensorRow[]): { weights: object; buffers: object } {
  const first = tensors.findIndex(({ role }) => role === "buffer");
  const parameters = first < 0 ? tensors.length : first;
  return { weights: entries(tensors.slice(0, parameters)), buffers: entries(tensors.slice(parameters)) };
}

function entries(tensors: readonly TensorRow[]): object {
  return Object.fromEntries(tensors.map(({ name, role, dtype, dims, packedBits, logicalNumel }) => {
    const packed = packedBits > 0 ? { packed_bits: packedBits, logical_numel: logicalNumel } : {};
    return [name, { shape: dims, dtype: `torch.${dtype}`, role, ...packed }];
  }));
}
