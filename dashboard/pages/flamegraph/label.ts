// What is written into a box. Widths come from a function, so that this needs no canvas: (text) → CSS px.
import { printable } from "#core/printable.ts";
import type { FrameKindName } from "#schema/frame-kinds.ts";
import { formatExact } from "../../parts/number-format.ts";

export type Measure = (text: string) => number;
export type LabelFrame = { readonly kind: FrameKindName | "root" | "other"; readonly name: string; readonly file: string; readonly line: number; readonly copies?: number; readonly prefix?: string };

export const labelPadding = 4; // CSS px on either side
export const narrowestLabel = 24; // CSS px: a box below this has no label

// The longest form of the label that fits into a box of `width`; "" when none does.
export function fitLabel(frame: LabelFrame, width: number, measure: Measure): string {
  const room = width - 2 * labelPadding;
  if (width < narrowestLabel || room <= 0) return "";
  const { prefix = "" } = frame;
  if (prefix === "") return fitName(frame, room, measure);
  // A figure cut in two would be another figure: it stands whole or not at all.
  const own = fitName(frame, room - measure(prefix), measure);
  if (own !== "") return `${prefix}${own}`;
  return measure(prefix.trimEnd()) <= room ? prefix.trimEnd() : "";
}

function fitName(frame: LabelFrame, room: number, measure: Measure): string {
  if (room <= 0) return "";
  const times = timesText(frame.copies);
  const name = `${shortName(frame)}${times}`;
  const place = placeOf(frame);
  if (place !== "" && measure(`${name}  ${place}`) <= room) return `${name}  ${place}`;
  if (measure(name) <= room) return name;
  if (frame.kind === "layer") {
    // Sixty-four boxes that begin with the same class say nothing: the attribute tells them apart.
    const attribute = `${shortName(frame).slice(shortName(frame).lastIndexOf(" ") + 1)}${times}`;
    if (measure(attribute) <= room) return attribute;
    const index = /(?:\.\d+|\[\d+\])$/.exec(attribute)?.[0] ?? "";
    return index !== "" && measure(index) <= room ? index : cutEnd(attribute, room, measure);
  }
  return frame.kind === "gpu_kernel" ? cutMiddle(name, room, measure) : cutEnd(name, room, measure);
}

// Of a layer that is several, folded: " ×64".
export function timesText(copies = 1): string {
  return copies > 1 ? ` ×${formatExact(copies)}` : "";
}

// Of frames that only lead to one another, drawn as one: "(12) ".
export function chainText(frames = 1): string {
  return frames > 1 ? `(${formatExact(frames)}) ` : "";
}

// A kernel's template arguments and parameters are folded: void flash::fwd<Traits<128>, true>(Params) → flash::fwd<…>.
// Control and invisible characters are spelled out: a name must not reorder or hide what stands beside it.
export function shortName(frame: Pick<LabelFrame, "kind" | "name">): string {
  const key = `${frame.kind} ${frame.name}`;
  const known = shortened.get(key);
  if (known !== undefined) return known;
  if (shortened.size > 50_000) shortened.clear();
  const short = shortenedName(frame);
  shortened.set(key, short);
  return short;
}

const shortened = new Map<string, string>(); // thousands of labels a frame are drawn of some hundred names

function shortenedName(frame: Pick<LabelFrame, "kind" | "name">): string {
  const name = printable(frame.name);
  if (frame.kind === "root") return name === "" ? "All" : name;
  if (frame.kind === "other") return "(other)";
  if (frame.kind !== "gpu_kernel" && frame.kind !== "native") return name;
  const bare = name.replace(/^(?:void|auto) /, "");
  let short = "";
  let depth = 0;
  for (const character of bare) {
    if (character === "<" && short !== "" && !short.endsWith("operator")) {
      if (depth === 0) short += "<…>";
      depth++;
    } else if (character === ">" && depth > 0) depth--;
    else if (character === "(" && depth === 0 && short !== "") {
      if (bare.slice(bare.indexOf("(")).startsWith("(anonymous namespace)")) return bare;
      break;
    } else if (depth === 0) short += character;
  }
  return depth === 0 && short !== "" ? short.trim() : bare;
}

function placeOf(frame: LabelFrame): string {
  if (frame.file === "") return "";
  const base = printable(frame.file.slice(Math.max(frame.file.lastIndexOf("/"), frame.file.lastIndexOf("\\")) + 1));
  return frame.line > 0 ? `${base}:${frame.line}` : base;
}

function cutEnd(text: string, room: number, measure: Measure): string {
  const kept = longest(text.length - 1, (length) => measure(`${text.slice(0, length)}…`) <= room);
  return kept < 2 ? "" : `${text.slice(0, kept)}…`;
}

// The tail of a kernel name (its variant) matters as much as its head.
function cutMiddle(text: string, room: number, measure: Measure): string {
  const cut = (length: number) => `${text.slice(0, Math.ceil(length / 2))}…${text.slice(text.length - Math.floor(length / 2))}`;
  const kept = longest(text.length - 1, (length) => measure(cut(length)) <= room);
  return kept < 2 ? "" : cut(kept);
}

// The largest length in 0…most that fits; fits() must hold below it and fail above.
function longest(most: number, fits: (length: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
