// The module table of an upload → rows. Invariants of the result: children come before parents, every row is used, and the tree it stands for is within
// bounds; that tree is never unfolded to find out (a hundred rows can stand for 2^100 modules).
import type { ModuleRow, TensorRow } from "#schema/api/models.ts";
import type { ModuleTable } from "#schema/gen/lamella/v1/shape_pb.ts";
import { limits } from "#schema/limits.ts";
import { ok, err, type Result } from "../../result.ts";
import { checkIndex, isProblem, readColumns } from "./decode-columns.ts";
import { overLimit, undecodable, type ShapeProblem } from "../problem.ts";

// Element i is wire row i + 1; `root` is the wire's.
export function decodeModules(
  table: ModuleTable | undefined,
  root: number,
  tensors: readonly TensorRow[],
  strings: readonly string[],
): Result<ModuleRow[], ShapeProblem> {
  const { className = [], tensorCount = [], childCount = [], tensor = [], child = [], childName = [] } = table ?? {};
  const columns = readColumns("modules", { class_name: className, tensor_count: tensorCount, child_count: childCount });
  if (isProblem(columns)) return err(columns);
  if (columns.rows - 1 > limits.modulesPerShapeMax) return err(overLimit("modules", columns.rows - 1, "modulesPerShapeMax"));
  if (tensor.length > limits.tensorsPerShapeMax) return err(overLimit("modules: column tensor", tensor.length, "tensorsPerShapeMax"));
  if (child.length > limits.modulesInTreeMax) return err(overLimit("modules: column child", child.length, "modulesInTreeMax"));
  if (child.length !== childName.length) return err(undecodable(`modules: column child has ${child.length} values, child_name has ${childName.length}`));
  if (root === 0) return err(undecodable("root is not set: it must be the row of the root module"));
  if (root >= columns.rows) return err(undecodable(`root is ${root}, but modules has ${columns.rows} rows`));

  const modules: ModuleRow[] = [];
  const sizes: TreeSizes = { modules: new Float64Array(columns.rows), depth: new Int32Array(columns.rows) };
  const lastChildNamed = new Int32Array(strings.length); // string → the last row with a child, or a tensor, of that name
  const lastTensorNamed = new Map<string, number>();
  let tensorsRead = 0;
  let childrenRead = 0;
  for (let row = 1; row < columns.rows; row++) {
    const tensorsEnd = tensorsRead + columns.at("tensor_count", row);
    const childrenEnd = childrenRead + columns.at("child_count", row);
    const nameProblem = checkIndex(columns, row, "class_name", columns.at("class_name", row), strings.length, "strings");
    if (nameProblem !== undefined) return err(nameProblem);
    if (tensorsEnd > tensor.length) {
      return err(undecodable(`modules: row ${row}, column tensor_count ends at ${tensorsEnd}, but tensor has ${tensor.length} values`));
    }
    if (childrenEnd > child.length) {
      return err(undecodable(`modules: row ${row}, column child_count ends at ${childrenEnd}, but child has ${child.length} values`));
    }
    const module: ModuleRow = { className: strings[columns.at("class_name", row)]!, tensors: [], children: [] };
    for (; tensorsRead < tensorsEnd; tensorsRead++) {
      const problem = checkIndex(columns, row, "tensor", tensor[tensorsRead]!, tensors.length + 1, "tensors");
      if (problem !== undefined) return err(problem);
      const held = tensors[tensor[tensorsRead]! - 1]!;
      if (lastTensorNamed.get(held.name) === row) return err(undecodable(`modules: row ${row}, column tensor names "${held.name}" twice`));
      lastTensorNamed.set(held.name, row);
      module.tensors.push(held);
    }
    sizes.modules[row] = 1;
    sizes.depth[row] = 1;
    for (; childrenRead < childrenEnd; childrenRead++) {
      const [target, name] = [child[childrenRead]!, childName[childrenRead]!];
      const problem =
        checkIndex(columns, row, "child", target, row, "what precedes it") ?? checkIndex(columns, row, "child_name", name, strings.length, "strings");
      if (problem !== undefined) return err(problem);
      if (lastChildNamed[name] === row) return err(undecodable(`modules: row ${row}, column child_name names "${strings[name]}" twice`));
      lastChildNamed[name] = row;
      sizes.modules[row]! += sizes.modules[target]!;
      sizes.depth[row] = Math.max(sizes.depth[row]!, sizes.depth[target]! + 1);
      module.children.push({ name: strings[name]!, module: target - 1 });
    }
    modules.push(module);
  }
  if (tensorsRead < tensor.length) return err(undecodable(`modules: column tensor has ${tensor.length} values, tensor_count asks for ${tensorsRead}`));
  if (childrenRead < child.length) return err(undecodable(`modules: column child has ${child.length} values, child_count asks for ${childrenRead}`));
  const problem = checkTree(sizes, root) ?? checkUsed(modules, root, tensors.length, tensor);
  return problem === undefined ? ok(modules) : err(problem);
}

interface TreeSizes {
  modules: Float64Array; // by wire row: modules of the subtree, unfolded; beyond 2^53 inexact or infinite, which is over every bound
  depth: Int32Array; // levels, the row itself included
}

function checkTree({ modules, depth }: TreeSizes, root: number): ShapeProblem | undefined {
  if (depth[root]! > limits.moduleDepthMax) return overLimit("modules: levels below and with the root", depth[root]!, "moduleDepthMax");
  if (modules[root]! > limits.modulesInTreeMax) return overLimit("modules in the tree", modules[root]!, "modulesInTreeMax");
  return undefined;
}

// Every row hangs below the root and every tensor in a module: what is sent is what is hashed and stored.
function checkUsed(modules: readonly ModuleRow[], root: number, tensorRows: number, tensor: readonly number[]): ShapeProblem | undefined {
  const reached = new Uint8Array(modules.length);
  reached[root - 1] = 1;
  for (let row = modules.length - 1; row >= 0; row--) {
    if (reached[row] === 0) return undecodable(`modules: row ${row + 1} is not below the root (row ${root})`);
    for (const { module } of modules[row]!.children) reached[module] = 1;
  }
  const held = new Uint8Array(tensorRows + 1);
  for (const row of tensor) held[row] = 1;
  const unheld = held.indexOf(0, 1);
  return unheld === -1 ? undefined : undecodable(`tensors: row ${unheld} is in no module`);
}
