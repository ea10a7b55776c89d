// What a subtree counts, by docs/shape-format.md: every copy of a repeated module, a shared tensor once. Linear in distinct rows, their children and the
// aliases: the tree is never unfolded, so 61,670 modules of an MoE cost what its 20 rows cost. Exact: decode.ts refuses what would pass 2^53 - 1.
import type { ShapeBody, TensorRow } from "#schema/api/models.ts";
import { placeAliases } from "./alias.ts";
import { logicalElements, tensorBytes } from "./tensor-size.ts";

export interface Totals {
  parameters: number; // logical, of role parameter
  weightBytes: number; // of roles parameter and quant_state, as stored; unsized tensors count 0
  modules: number; // the subtree's own root included, every path counted, shared or not
  unsizedTensors: number; // weights whose dtype has no known size
}

// By row: its subtree as if nothing in it were shared.
export function rowTotals(body: ShapeBody): Totals[] {
  const totals: Totals[] = [];
  for (const module of body.modules) {
    const sum = { parameters: 0, weightBytes: 0, modules: 1, unsizedTensors: 0 };
    for (const tensor of module.tensors) add(sum, tensorTotals(tensor));
    for (const child of module.children) add(sum, totals[child.module]!);
    totals.push(sum);
  }
  return totals;
}

// The whole model.
export function shapeTotals(body: ShapeBody): Totals {
  const whole = { ...rowTotals(body)[body.root]! };
  const shared = sharedWithin(body).get("");
  if (shared !== undefined) subtract(whole, shared);
  return whole;
}

// By path of a module: what its row counts too often because two paths below it share it. Paths without sharing below them are absent.
// Shared by three, counted once: each alias meets the one before it in pre-order in some subtree, and is too much there and in all that hold it.
export function sharedWithin(body: ShapeBody): Map<string, Totals> {
  const placed = placeAliases(body);
  const rows = placed.length === 0 ? [] : rowTotals(body);
  const within = new Map<string, Totals>();
  const previous = new Map<string, string>(); // target → path of the last one that shares it
  for (const { path, target, at } of placed) {
    const amount = { ...(at.tensor === undefined ? rows[at.module]! : tensorTotals(body.modules[at.module]!.tensors[at.tensor]!)), modules: 0 };
    let holder = commonHolder(previous.get(target) ?? target, path);
    previous.set(target, path);
    for (;;) {
      const sum = within.get(holder) ?? { parameters: 0, weightBytes: 0, modules: 0, unsizedTensors: 0 };
      within.set(holder, add(sum, amount));
      if (holder === "") break;
      holder = holder.slice(0, Math.max(0, holder.lastIndexOf(".")));
    }
  }
  return within;
}

function tensorTotals(tensor: TensorRow): Totals {
  const bytes = tensor.role === "buffer" ? 0 : tensorBytes(tensor);
  const parameters = tensor.role === "parameter" ? logicalElements(tensor) : 0;
  return { parameters, weightBytes: bytes ?? 0, modules: 0, unsizedTensors: bytes === undefined ? 1 : 0 };
}

// The deepest module that holds both paths.
function commonHolder(a: string, b: string): string {
  let end = 0;
  for (let i = 0; i < a.length && a[i] === b[i]; i++) if (a[i] === ".") end = i;
  return a.slice(0, end);
}

function add(sum: Totals, more: Totals): Totals {
  sum.parameters += more.parameters;
  sum.weightBytes += more.weightBytes;
  sum.modules += more.modules;
  sum.unsizedTensors += more.unsizedTensors;
  return sum;
}

function subtract(sum: Totals, less: Totals): void {
  sum.parameters -= less.parameters;
  sum.weightBytes -= less.weightBytes;
  sum.unsizedTensors -= less.unsizedTensors;
}
