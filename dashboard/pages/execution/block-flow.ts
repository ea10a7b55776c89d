// The modules called in one module as blocks from top to bottom, and the arrows between them. With a forward analysis blocks stand in the order it saw them in and
// arrows are what flows; without one the order is that of the first calls, and nothing is said about what flows.
import type { ForwardBlocks } from "#core/trace/forward-blocks.ts";

export type BlockArrow = { readonly from: number; readonly to: number; readonly text: string }; // places of blocks; -1 = the module's input, the number of blocks = its output
export type BlockFlow = { readonly order: readonly number[]; readonly arrows: readonly BlockArrow[]; readonly inputs: readonly string[]; readonly source: "observed" | "source" | "calls" };

// `names`: by child, the paths below the module that it stands for.
export function blockFlow(names: readonly (readonly string[])[], forward: ForwardBlocks | undefined): BlockFlow {
  const given = names.map((_, child) => child);
  if (forward === undefined) return { order: given, arrows: given.slice(1).map((_, at) => ({ from: at, to: at + 1, text: "" })), inputs: [], source: "calls" };
  const child = new Map(names.flatMap((paths, at) => paths.map((path) => [path, at] as const)));
  const childOf = (path: string): number | undefined => child.get(path) ?? (path.endsWith(".*") ? child.get(`${path.slice(0, -1)}0`) : undefined);
  const seen = [...new Set(forward.order.flatMap((path) => childOf(path) ?? []))];
  const order = [...seen, ...given.filter((one) => !seen.includes(one))];
  const placeOf = new Map(order.map((one, place) => [one, place]));
  const place = (path: string): number | undefined => (path === "output" ? order.length : path.startsWith("input:") ? -1 : placeOf.get(childOf(path) ?? -1));
  const arrows = new Map<string, { from: number; to: number; texts: string[] }>();
  const inputs = new Set<string>();
  for (const { from, to, names: tensors, dims, via } of forward.arrows) {
    const [start, end] = [place(from), place(to)];
    if (start === undefined || end === undefined) continue;
    const input = from.startsWith("input:") ? from.slice("input:".length) : "";
    if (input !== "") inputs.add(input.split(".")[0]!);
    const text = [input || tensors.join(", "), dims, via.length > 0 ? `via ${via.join(", ")}` : ""].filter((part) => part !== "").join(" ");
    const arrow = arrows.get(`${start} ${end}`) ?? { from: start, to: end, texts: [] };
    if (text !== "" && !arrow.texts.includes(text)) arrow.texts.push(text);
    arrows.set(`${start} ${end}`, arrow);
  }
  return { order, arrows: [...arrows.values()].map(({ from, to, texts }) => ({ from, to, text: texts.join("; ") })), inputs: [...inputs], source: forward.observed ? "observed" : "source" };
}

export type Lane = { readonly arrow: BlockArrow; readonly lane: number }; // lane 0 = straight down to the next block

// Arrows that pass blocks run beside them, in lanes in which no two overlap; the short ones nearest. Arrows back (a run's layers among themselves) are left out.
export function laneArrows(arrows: readonly BlockArrow[]): Lane[] {
  const ends: { from: number; to: number }[][] = [];
  const long = arrows.filter(({ from, to }) => to > from + 1).sort((a, b) => a.to - a.from - (b.to - b.from) || a.from - b.from);
  const beside = long.map((arrow) => {
    let lane = ends.findIndex((taken) => taken.every(({ from, to }) => arrow.to <= from || arrow.from >= to));
    if (lane < 0) lane = ends.push([]) - 1;
    ends[lane]!.push(arrow);
    return { arrow, lane: lane + 1 };
  });
  return [...arrows.filter(({ from, to }) => to === from + 1).map((arrow) => ({ arrow, lane: 0 })), ...beside];
}
