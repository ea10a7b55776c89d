// The forward analysis of a record (docs/recording.md) as blocks and arrows of one module: which of the modules it calls gets what from which. Observed where
// the forward was watched; else the dependencies of its source, in which every branch counts as taken. Anything that is not as described is passed over.
import { objectsOf, textOf } from "./json-fields.ts";

export type ForwardArrow = {
  from: string; // path below the module, or "input:NAME"
  to: string; // path below the module, or "output"
  names: string[]; // tensors, as `to` gets them; empty = not known
  dims: string; // of the first of them, "[1,32,1024]"; "" = not known
  via: string[]; // operators between
};
export type ForwardBlocks = { observed: boolean; order: string[]; arrows: ForwardArrow[] }; // order: paths below the module, as they were called

type Call = { order: number; parent: number; path: string; last: string; className: string; same: number };

// `path`: of the module, "" of the root; `className`: without its Python module. Undefined: the analysis does not have it.
export function forwardBlocks(forward: unknown, path: string, className: string): ForwardBlocks | undefined {
  if (forward === null || typeof forward !== "object") return undefined;
  const { calls: all, flow, classes } = forward as Record<string, unknown>;
  const calls = objectsOf(Array.isArray(all) ? all : []).map((call): Call => ({
    order: Number(call["order"]), parent: Number(call["parent"]), path: textOf(call["path"]), last: textOf(call["last"]), className: textOf(call["class"]), same: typeof call["same"] === "number" ? call["same"] : -1,
  }));
  const found = callOf(calls, path);
  const whole = found === undefined ? undefined : (calls.find(({ order }) => order === found.same) ?? found);
  const inside = whole === undefined ? [] : calls.filter(({ parent }) => parent === whole.order);
  if (whole !== undefined && inside.length > 0) return observed(whole, inside, objectsOf(Array.isArray(flow) ? flow : []));
  return fromSource(classes, whole?.className ?? "", className);
}

function observed(whole: Call, inside: readonly Call[], flow: readonly Record<string, unknown>[]): ForwardBlocks {
  const below = (path: string) => (whole.path === "" ? path : path.slice(whole.path.length + 1));
  const name = new Map<number, string>(inside.map(({ order, path }) => [order, below(path)]));
  const end = (value: unknown): string | undefined => (typeof value === "number" ? name.get(value) : textOf(value) || undefined);
  const arrows = new Map<string, ForwardArrow>();
  for (const edge of flow) {
    const [from, to] = [end(edge["from"]), end(edge["to"])];
    if (edge["in"] !== whole.order || from === undefined || to === undefined) continue;
    const dims = Array.isArray(edge["dims"]) ? `[${edge["dims"].join(",")}]` : "";
    const arrow = arrows.get(`${from}\0${to}`) ?? { from, to, names: [], dims, via: [] };
    const tensor = textOf(edge["name"]);
    if (tensor !== "" && !arrow.names.includes(tensor)) arrow.names.push(tensor);
    for (const operator of Array.isArray(edge["via"]) ? edge["via"].map(textOf) : []) if (operator !== "" && !arrow.via.includes(operator)) arrow.via.push(operator);
    arrows.set(`${from}\0${to}`, arrow);
  }
  return { observed: true, order: inside.map(({ path }) => below(path)), arrows: [...arrows.values()] };
}

function fromSource(classes: unknown, qualified: string, className: string): ForwardBlocks | undefined {
  if (classes === null || typeof classes !== "object") return undefined;
  const known = Object.entries(classes as Record<string, unknown>).filter(([name]) => name === qualified || (qualified === "" && name.split(".").at(-1) === className));
  const analysis = known.length === 1 ? known[0]![1] : undefined; // two classes of one name say nothing
  if (analysis === null || typeof analysis !== "object") return undefined;
  const { dependencies } = analysis as Record<string, unknown>;
  const arrows = objectsOf(Array.isArray(dependencies) ? dependencies : []).map((one): ForwardArrow => ({ from: textOf(one["from"]), to: textOf(one["to"]), names: [], dims: "", via: [] }));
  if (arrows.length === 0) return undefined;
  const order = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].filter((path) => path !== "output" && !path.startsWith("input:"));
  return { observed: false, order, arrows };
}

// Equal calls are one entry, of the first copy: a path inside a later copy is looked for in the first.
function callOf(calls: readonly Call[], path: string): Call | undefined {
  let wanted = path;
  for (const { path: first, last } of calls) {
    if (last === "") continue;
    const prefix = wanted.split(".").slice(0, first.split(".").length).join(".");
    if (liesBetween(first, last, prefix)) wanted = first + wanted.slice(prefix.length);
  }
  return calls.find((call) => call.path === wanted);
}

// "layers.0", "layers.3": layers.2 lies between.
function liesBetween(first: string, last: string, path: string): boolean {
  const [from, to, at] = [first, last, path].map((text) => text.split("."));
  if (from!.length !== at!.length || to!.length !== at!.length) return false;
  return at!.every((step, i) => step === from![i] || (/^\d+$/.test(step) && Number(step) >= Number(from![i]) && Number(step) <= Number(to![i])));
}
