// Everything the details pane says of one module: what it and all below it count, the copies it stands for, its precision, its own tensors.
import type { ShapeBody } from "#schema/api/models.ts";
import type { ModuleDetail, ModuleTensor } from "#schema/api/shapes.ts";
import { err, ok, type Result } from "../result.ts";
import { placeAliases } from "./alias.ts";
import { canonicalShape } from "./canonical.ts";
import { copiesAt, type Copies, type NoSuchModule } from "./copies.ts";
import { joinPath } from "./locate.ts";
import { dtypeNames } from "./dtype.ts";
import { layerFrameName, searchForModule } from "./frame-name.ts";
import { layoutOf, singleRank } from "./layout.ts";
import type { ShapeLayout } from "./part.ts";
import { roleOfClass } from "./role.ts";
import { sharing } from "./sharing.ts";
import { tensorNotes } from "./tensor-notes.ts";
import { logicalElements, tensorBytes } from "./tensor-size.ts";
import { tensorsWithin, weightTotals, type TensorCount } from "./tensors-within.ts";
import { rowTotals } from "./totals.ts";

// `search` is the frames' name as it is; a text for the flamegraph's search still needs its own escapes.
export type ModuleFacts = Omit<ModuleDetail, "shapeId" | "layoutId">;

export function moduleDetail(body: ShapeBody, path: string, modelName: string, layout: ShapeLayout = singleRank()): Result<ModuleFacts, NoSuchModule> {
  const { body: shape } = canonicalShape(body);
  const copies = copiesAt(shape, path);
  if ("nearest" in copies) return err(copies);
  const placed = placeAliases(shape);
  const one = tensorsWithin(shape, placed, { row: copies.row, ranges: copies.position.map((at) => ({ at, count: 1 })) });
  const { className, tensors } = shape.modules[copies.row]!;
  const { parameters, weightBytes, unsizedTensors } = weightTotals(one);
  const own = weightTotals(tensors.map((tensor) => ({ row: copies.row, tensor, count: 1 })));
  return ok({
    path,
    className,
    role: roleOfClass(className),
    frameName: layerFrameName({ className, path, modelName }),
    search: searchForModule({ className, path: copies.first, lastPath: copies.last, modelName }),
    totals: { parameters, weightBytes, ownParameters: own.parameters, submodules: rowTotals(shape)[copies.row]!.modules - 1, unsizedTensors },
    repeat: copies.count === 1 ? null : repeatOf(copies, weightTotals(tensorsWithin(shape, placed, { row: copies.row, ranges: copies.runs }))),
    alias: sharing(shape.aliases).target(path),
    precision: precisionOf(one),
    tensors: ownTensors(shape, copies, layout),
  });
}

function repeatOf({ runs, count, first, last }: Copies, { parameters, weightBytes }: { parameters: number; weightBytes: number }): NonNullable<ModuleDetail["repeat"]> {
  const own = runs.at(-1)!;
  const folded = own.count > 1;
  return { count, first, last, firstIndex: folded ? Number(own.first) : null, lastIndex: folded ? Number(own.last) : null, parameters, weightBytes };
}

// In the order of dtype.ts, those without a known size last.
function precisionOf(tensors: readonly TensorCount[]): ModuleDetail["precision"] {
  const byDtype = new Map<string, { tensors: number; bytes: number | null }>();
  for (const { tensor, count } of tensors) {
    if (tensor.role === "buffer" || count === 0) continue;
    const bytes = tensorBytes(tensor);
    const sum = byDtype.get(tensor.dtype) ?? { tensors: 0, bytes: bytes === undefined ? null : 0 };
    byDtype.set(tensor.dtype, { tensors: sum.tensors + count, bytes: bytes === undefined ? null : sum.bytes! + count * bytes });
  }
  const whole = [...byDtype.values()].reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const rank = (dtype: string): number => (dtypeNames as string[]).indexOf(dtype) >>> 0;
  return [...byDtype]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([dtype, { tensors: count, bytes }]) => ({ dtype, tensors: count, bytes, share: bytes === null || whole === 0 ? null : bytes / whole }));
}

function ownTensors(shape: ShapeBody, { row, path }: Copies, layout: ShapeLayout): ModuleTensor[] {
  const held = layoutOf(layout);
  const { target, sharers } = sharing([...shape.aliases, ...layout.aliases]);
  return shape.modules[row]!.tensors.map((tensor) => {
    const { name, role, dtype, dims, packedBits, logicalNumel } = tensor;
    const at = joinPath(path, name);
    const shares = target(at);
    const how = held(at);
    return {
      name, path: at, role, dtype, dims, packedBits, logicalNumel, elements: logicalElements(tensor), bytes: tensorBytes(tensor) ?? null, ...how, shares, sharedBy: sharers(at),
      notes: tensorNotes(tensor, how, shares),
    };
  });
}
