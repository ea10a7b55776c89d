// A model as a process holds it: module and tensor objects, some of them held twice. Its shape is read off the way a reader does (first path wins, the
// topmost shared module is one alias), and its true counts come from the objects themselves: each counted once, however many paths lead to it.
import fc from "fast-check";
import type { ModuleRow, ShapeBody, TensorRow } from "#schema/api/models.ts";

export interface TensorObject extends TensorRow {
  id: number;
}
export interface ModuleObject {
  className: string;
  tensors: { name: string; tensor: TensorObject }[];
  children: { name: string; module: ModuleObject }[];
}

const dtypeBits: Record<string, number> = { float32: 32, bfloat16: 16, float8_e4m3fn: 8, odd: 0 };

const tensorObject = fc
  .record({
    role: fc.constantFrom("parameter" as const, "parameter" as const, "buffer" as const, "quant_state" as const),
    dtype: fc.constantFrom(...Object.keys(dtypeBits)),
    dims: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }),
    packedBits: fc.constantFrom(0, 0, 0, 4),
  })
  .map(({ role, dtype, dims, packedBits }): TensorRow => {
    const elements = dims.reduce((product, dim) => product * dim, 1);
    return { name: "", role, dtype, dims, packedBits, logicalNumel: packedBits === 0 ? 0 : elements * 8, bytes: (elements * dtypeBits[dtype]!) / 8 };
  });

// Modules in an order in which each may hold only earlier ones; the last is the root. Without sharing every object is held once.
export function modelObject(sharing: boolean): fc.Arbitrary<ModuleObject> {
  const recipe = fc.record({
    className: fc.constantFrom("Layer", "Linear", "Norm", "ModuleList"),
    tensors: fc.array(fc.nat(9), { maxLength: 3 }),
    children: fc.array(fc.record({ back: fc.integer({ min: 1, max: 4 }), indexed: fc.boolean() }), { maxLength: 4 }),
  });
  const drawn = { pool: fc.array(tensorObject, { minLength: 1, maxLength: 10 }), recipes: fc.array(recipe, { minLength: 1, maxLength: 9 }) };
  return fc.record(drawn).map(({ pool, recipes }) => {
    let ids = 0;
    const shared = pool.map((tensor): TensorObject => ({ ...tensor, id: ids++ }));
    const pick = (n: number): TensorObject => (sharing ? shared[n % pool.length]! : { ...pool[n % pool.length]!, id: ids++ });
    const copyOf = (module: ModuleObject): ModuleObject => ({
      className: module.className,
      tensors: module.tensors.map(({ name, tensor }) => ({ name, tensor: { ...tensor, id: ids++ } })),
      children: module.children.map(({ name, module: child }) => ({ name, module: copyOf(child) })),
    });
    const made: ModuleObject[] = [];
    for (const { className, tensors, children } of recipes) {
      made.push({
        className,
        tensors: tensors.map((n, i) => ({ name: `w${i}`, tensor: pick(n) })),
        children: children
          .filter(({ back }) => back <= made.length)
          .map(({ back, indexed }, i) => ({ name: indexed ? String(i) : `child${i}`, module: sharing ? made.at(-back)! : copyOf(made.at(-back)!) })),
      });
    }
    return made.at(-1)!;
  });
}

export function shapeOf(root: ModuleObject): ShapeBody {
  const modules: ModuleRow[] = [];
  const rowOf = new Map<string, number>();
  const firstPath = new Map<ModuleObject | number, string>();
  const aliases: ShapeBody["aliases"] = [];

  function read(module: ModuleObject, path: string, seen: boolean): number {
    const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
    for (const { name, tensor } of seen ? [] : module.tensors) {
      const first = firstPath.get(tensor.id);
      if (first === undefined) firstPath.set(tensor.id, below(name));
      else aliases.push({ path: below(name), target: first });
    }
    const children = module.children.map(({ name, module: child }) => {
      const first = firstPath.get(child);
      if (!seen && first === undefined) firstPath.set(child, below(name));
      if (!seen && first !== undefined) aliases.push({ path: below(name), target: first });
      return { name, module: read(child, below(name), seen || first !== undefined) };
    });
    const tensors = module.tensors.map(({ name, tensor: { role, dtype, dims, packedBits, logicalNumel, bytes } }): TensorRow => ({ name, role, dtype, dims, packedBits, logicalNumel, bytes }));
    const structure = JSON.stringify([module.className, tensors, children]);
    const known = rowOf.get(structure);
    if (known !== undefined) return known;
    rowOf.set(structure, modules.length);
    return modules.push({ className: module.className, tensors, children }) - 1;
  }

  const rootRow = read(root, "", false);
  return { architecture: "", modules, root: rootRow, aliases };
}

export function trueCounts(root: ModuleObject): { parameters: number; weightBytes: number; modules: number; unsizedTensors: number } {
  const tensors = new Map<number, TensorObject>();
  let modules = 0;
  const visit = (module: ModuleObject): void => {
    modules++;
    for (const { tensor } of module.tensors) tensors.set(tensor.id, tensor);
    for (const { module: child } of module.children) visit(child);
  };
  visit(root);
  const counts = { parameters: 0, weightBytes: 0, modules, unsizedTensors: 0 };
  for (const { role, dtype, dims, packedBits, logicalNumel } of tensors.values()) {
    const elements = dims.reduce((product, dim) => product * dim, 1);
    if (role === "parameter") counts.parameters += packedBits > 0 ? logicalNumel : elements;
    if (role !== "buffer") counts.weightBytes += (elements * dtypeBits[dtype]!) / 8;
    if (role !== "buffer" && dtypeBits[dtype] === 0) counts.unsizedTensors++;
  }
  return counts;
}
