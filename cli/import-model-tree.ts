// A model_tree.json of vllm_arch_map → the Models page: its structure and a sighting. What is sent is the shape, never the file.
import { create } from "@bufbuild/protobuf";
import { modelTreePart } from "#core/shape/mapper/model-tree-part.ts";
import { type ModelTree, readModelTree } from "#core/shape/mapper/read-model-tree.ts";
import type { ShapePart } from "#core/shape/part.ts";
import { encodeShape } from "#core/shape/upload/encode.ts";
import type { SampleContext } from "#core/upload/samples-part.ts";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import type { Api } from "./api.ts";
import { CliError } from "./cli-error.ts";
import { refusedCode } from "./read-profile.ts";
import { sendModel } from "./send-model.ts";
import { bytesOf } from "./trace-file.ts";
import { untilStored } from "./until-stored.ts";

export type ReadModel = { readonly name: string; readonly tree: ModelTree; readonly part: ShapePart };
export type ModelTreeOptions = { readonly name?: string | undefined; readonly agentVersion: string };
export type ModelImportOptions = ModelTreeOptions & { readonly context: Partial<SampleContext>; readonly progress: (line: string) => void };

// Needs no server.
export async function readModel(path: string, { name, agentVersion }: ModelTreeOptions): Promise<ReadModel> {
  const tree = readModelTree(await bytesOf(path, "modelTreeBytesMax", "`python -m lamella.walk --config CONFIG.json` reads the model itself"));
  if (!tree.ok) throw new CliError(`${path} is refused: ${tree.error}.`, refusedCode);
  const shown = name ?? tree.value.nameOrPath;
  const part = modelTreePart(tree.value, shown, agentVersion);
  if (!part.ok) throw new CliError(`${path} is refused: ${part.error.detail}.`, refusedCode);
  return { name: shown, tree: tree.value, part: part.value };
}

// `shown`: false where the Models page is off and says nothing of what is stored.
export async function importModel(api: Api, path: string, options: ModelImportOptions): Promise<{ read: ReadModel; shown: boolean }> {
  const { agentVersion, context, progress } = options;
  const read = await readModel(path, options);
  progress("sending the model");
  await sendModel(api, create(ShapeUploadSchema, encodeShape(read.part)), { path, nameOrPath: read.name, agentVersion, context, seenAtS: Math.floor(Date.now() / 1000) });
  progress("waiting until it is stored");
  return { read, shown: await untilShown(api, read.part.partHash) };
}

// Where the Models page is off nothing can be seen of it, and nothing is waited for.
async function untilShown(api: Api, shapeId: string): Promise<boolean> {
  let shown = true;
  await untilStored("model", async () => {
    try {
      await api.call("model", { params: { id: shapeId } });
      return true;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.code === "flag_off") shown = false;
      else if (error.code !== "model_not_found" && error.code !== "not_found") throw error;
      return !shown;
    }
  });
  return shown;
}
