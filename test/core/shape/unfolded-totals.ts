// The counts of every subtree by the plainest means: the tree unfolded, each tensor led through aliases to where it is held, and what is held counted once.
// Nothing here knows the code under test; sizes are the bytes that stand in the rows.
import type { ShapeBody, TensorRow } from "#schema/api/models.ts";

export interface UnfoldedTotals {
  parameters: number;
  weightBytes: number;
  modules: number;
  unsizedTensors: number;
}

export function unfoldedTotals({ modules, root, aliases }: ShapeBody): Map<string, UnfoldedTotals> {
  const targets = new Map(aliases.map(({ path, target }) => [path, target]));
  const heldAt = (path: string): string => {
    for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
      const target = targets.get(path.slice(0, end));
      if (target !== undefined) return heldAt(target + path.slice(end));
    }
    return path;
  };
  const totals = new Map<string, UnfoldedTotals>();
  const visit = (row: number, path: string): { held: Map<string, TensorRow>; modules: number } => {
    const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
    const held = new Map(modules[row]!.tensors.map((tensor) => [heldAt(below(tensor.name)), tensor]));
    let paths = 1;
    for (const { name, module } of modules[row]!.children) {
      const child = visit(module, below(name));
      paths += child.modules;
      for (const [at, tensor] of child.held) held.set(at, tensor);
    }
    totals.set(path, countsOf([...held.values()], paths));
    return { held, modules: paths };
  };
  visit(root, "");
  return totals;
}

function countsOf(tensors: readonly TensorRow[], modules: number): UnfoldedTotals {
  const weights = tensors.filter(({ role }) => role !== "buffer");
  const product = (dims: readonly number[]): number => dims.reduce((all, dim) => all * dim, 1);
  return {
    parameters: weights.filter(({ role }) => role === "parameter").reduce((sum, { dims, packedBits, logicalNumel }) => sum + (packedBits > 0 ? logicalNumel : product(dims)), 0),
    weightBytes: weights.reduce((sum, { bytes }) => sum + bytes, 0),
    modules,
    unsizedTensors: weights.filter(({ dtype }) => dtype === "odd").length,
  };
}
