// One part of a model → the upload, as plain fields for protobuf-es' create(ShapeUploadSchema, …). Invariant: decode.ts gives the same part back.
import type { ModuleRow, TensorRow } from "#schema/api/models.ts";
import { TensorRole, type Layout, type ModuleTable, type ShapeUpload, type TensorTable } from "#schema/gen/lamella/v1/shape_pb.ts";
import type { ShapePart } from "../part.ts";

type Fields<Message> = Omit<Message, "$typeName" | "$unknown">;
export type ShapeUploadInit = Omit<Fields<ShapeUpload>, "tensors" | "modules" | "layout"> & {
  tensors: Fields<TensorTable>;
  modules: Fields<ModuleTable>;
  layout: Fields<Layout>;
};

const roleNumber = { parameter: TensorRole.PARAMETER, buffer: TensorRole.BUFFER, quant_state: TensorRole.QUANT_STATE } as const;

export function encodeShape({ agentVersion, modelKey, ppRank, ppSize, partHash, runId = "", body, layout }: ShapePart): ShapeUploadInit {
  const strings = new Strings();
  const aliases = [...body.aliases, ...layout.aliases];
  const { tensors, modules } = encodeTables(body.modules, strings);
  return {
    agentVersion,
    modelKey,
    architecture: body.architecture,
    ppRank,
    ppSize,
    partHash,
    runId,
    tensors,
    modules,
    root: body.root + 1,
    aliasPath: aliases.map(({ path }) => strings.index(path)),
    aliasTarget: aliases.map(({ target }) => strings.index(target)),
    strings: strings.texts,
    layout: {
      tpSize: layout.tpSize,
      ppSize: layout.ppSize,
      epSize: layout.epSize,
      dpSize: layout.dpSize,
      shardedPath: layout.sharded.map(({ path }) => path),
      shardedDim: layout.sharded.map(({ dim }) => dim),
      paddedPath: layout.padded.map(({ path }) => path),
      paddedDim: layout.padded.map(({ dim }) => dim),
      paddedSize: layout.padded.map(({ size }) => BigInt(size)),
      replicatedPath: layout.replicated.map(({ path }) => path),
      replicas: layout.replicated.map(({ replicas }) => replicas),
    },
  };
}

// Equal tensors share one row: the rotary buffers, norms and scales of a model are the same few over and over.
function encodeTables(rows: readonly ModuleRow[], strings: Strings): { tensors: Fields<TensorTable>; modules: Fields<ModuleTable> } {
  const tensors: Fields<TensorTable> = { name: [0], role: [TensorRole.UNSPECIFIED], dtype: [0], rank: [0], dim: [], packedBits: [0], logicalNumel: [0n] };
  const modules: Fields<ModuleTable> = { className: [0], tensorCount: [0], tensor: [], childCount: [0], child: [], childName: [] };
  const rowOfTensor = new Map<string, number>();
  const tensorIndex = ({ name, role, dtype, dims, packedBits, logicalNumel }: TensorRow): number => {
    const key = JSON.stringify([name, role, dtype, dims, packedBits, logicalNumel]);
    const known = rowOfTensor.get(key);
    if (known !== undefined) return known;
    const row = tensors.name.length;
    rowOfTensor.set(key, row);
    tensors.name.push(strings.index(name));
    tensors.role.push(roleNumber[role]);
    tensors.dtype.push(strings.index(dtype));
    tensors.rank.push(dims.length);
    for (const dim of dims) tensors.dim.push(BigInt(dim));
    tensors.packedBits.push(packedBits);
    tensors.logicalNumel.push(BigInt(logicalNumel));
    return row;
  };
  for (const { className, tensors: held, children } of rows) {
    modules.className.push(strings.index(className));
    modules.tensorCount.push(held.length);
    for (const tensor of held) modules.tensor.push(tensorIndex(tensor));
    modules.childCount.push(children.length);
    for (const { name, module } of children) {
      modules.child.push(module + 1);
      modules.childName.push(strings.index(name));
    }
  }
  return { tensors, modules };
}

// Every text once; "" is row 0.
class Strings {
  readonly texts = [""];
  readonly #rows = new Map([["", 0]]);

  index(text: string): number {
    const known = this.#rows.get(text);
    if (known !== undefined) return known;
    this.#rows.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}
