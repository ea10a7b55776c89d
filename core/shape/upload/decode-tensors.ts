// The tensor table of an upload → rows. Invariant of the result: every size is exact below 2^53.
import type { TensorRow } from "#schema/api/models.ts";
import { TensorRole, type TensorTable } from "#schema/gen/lamella/v1/shape_pb.ts";
import { limits } from "#schema/limits.ts";
import { ok, err, type Result } from "../../result.ts";
import { checkIndex, isProblem, readColumns } from "./decode-columns.ts";
import { overLimit, undecodable, type ShapeProblem } from "../problem.ts";
import { logicalElements, tensorBytes } from "../tensor-size.ts";

const roles = new Map<number, TensorRow["role"]>([
  [TensorRole.PARAMETER, "parameter"],
  [TensorRole.BUFFER, "buffer"],
  [TensorRole.QUANT_STATE, "quant_state"],
]);

// Element i is wire row i + 1.
export function decodeTensors(table: TensorTable | undefined, strings: readonly string[]): Result<TensorRow[], ShapeProblem> {
  if (table === undefined) return ok([]);
  const { dim } = table;
  const columns = readColumns("tensors", {
    name: table.name,
    role: table.role,
    dtype: table.dtype,
    rank: table.rank,
    packed_bits: table.packedBits,
    logical_numel: table.logicalNumel,
  });
  if (isProblem(columns)) return err(columns);
  if (columns.rows - 1 > limits.tensorsPerShapeMax) return err(overLimit("tensors", columns.rows - 1, "tensorsPerShapeMax"));

  const tensors: TensorRow[] = [];
  let dimsRead = 0;
  for (let row = 1; row < columns.rows; row++) {
    const at = (column: Parameters<typeof columns.at>[0]): number => columns.at(column, row);
    const problem =
      checkIndex(columns, row, "name", at("name"), strings.length, "strings") ?? checkIndex(columns, row, "dtype", at("dtype"), strings.length, "strings");
    if (problem !== undefined) return err(problem);
    const tensorRole = roles.get(at("role"));
    if (tensorRole === undefined) {
      return err(undecodable(`tensors: row ${row}, column role is ${at("role")}; it must be 1 (parameter), 2 (buffer) or 3 (quantisation state)`));
    }
    if (dimsRead + at("rank") > dim.length) {
      return err(undecodable(`tensors: row ${row}, column rank is ${at("rank")}, but dim has only ${dim.length - dimsRead} values left`));
    }
    if (at("packed_bits") === 0 && at("logical_numel") !== 0) {
      return err(undecodable(`tensors: row ${row}, column logical_numel is ${at("logical_numel")}, but packed_bits is 0; it is set for packed tensors only`));
    }
    const dims = dim.slice(dimsRead, (dimsRead += at("rank"))).map(Number);
    const [name, dtype, packedBits, logicalNumel] = [strings[at("name")]!, strings[at("dtype")]!, at("packed_bits"), at("logical_numel")];
    const tensor = { name, role: tensorRole, dtype, dims, packedBits, logicalNumel };
    const bytes = tensorBytes(tensor) ?? 0;
    if (![bytes, logicalElements(tensor), ...dims].every((size) => size <= Number.MAX_SAFE_INTEGER)) {
      return err(undecodable(`tensors: row ${row}, columns dim and logical_numel: the size is over 2^53 - 1`));
    }
    tensors.push({ ...tensor, bytes });
  }
  if (dimsRead < dim.length) return err(undecodable(`tensors: column dim has ${dim.length} values, column rank asks for ${dimsRead}`));
  return ok(tensors);
}
