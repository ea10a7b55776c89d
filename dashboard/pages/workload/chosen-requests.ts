// Which requests the page shows: those in the range of input tokens and in the rectangle drawn on a scatter, both as the URL holds them.
import type { Requests } from "#core/workload/requests.ts";
import { scatterAxes, type ScatterName } from "./scatter-axes.ts";

export type TokenRange = { readonly from: number; readonly to: number }; // both included; to may be Infinity
export type Brush = { readonly scatter: ScatterName; readonly across: readonly [number, number]; readonly upwardsMs: readonly [number, number] };

export function parseTokenRange(text: string | undefined): TokenRange | null {
  const [, from = "", to = ""] = /^(\d*)-(\d*)$/.exec(text ?? "") ?? [];
  return from === "" && to === "" ? null : { from: Number(from), to: to === "" ? Infinity : Number(to) };
}

export function printTokenRange({ from, to }: TokenRange): string | undefined {
  return from <= 0 && to === Infinity ? undefined : `${from <= 0 ? "" : from}-${to === Infinity ? "" : to}`;
}

export function parseBrush(text: string | undefined): Brush | null {
  const [scatter, numbers] = text?.split(":") ?? [];
  const [a, b, c, d] = numbers?.split(",").map(Number) ?? [];
  if ((scatter !== "ttft" && scatter !== "decode") || d === undefined) return null;
  return { scatter, across: [Math.min(a!, b!), Math.max(a!, b!)], upwardsMs: [Math.min(c!, d), Math.max(c!, d)] };
}

export function printBrush({ scatter, across, upwardsMs }: Brush): string {
  // Rounded outwards: a rectangle from request to request has both in it.
  const text = (value: number, end: number, digits: number) => String(Number(((end === 0 ? Math.floor : Math.ceil)(Number((Math.max(0, value) * 10 ** digits).toFixed(6))) / 10 ** digits).toFixed(digits)));
  return `${scatter}:${across.map((value, end) => text(value, end, 1)).join(",")},${upwardsMs.map((value, end) => text(value, end, 3)).join(",")}`;
}

// Rows in the order of the file; all of them when nothing is asked for.
export function chosenRequests(requests: Requests, range: TokenRange | null, brush: Brush | null): Uint32Array {
  const rows = new Uint32Array(requests.n);
  const across = brush === null ? null : requests[scatterAxes[brush.scatter].across];
  const upwards = brush === null ? null : requests[scatterAxes[brush.scatter].upwards];
  let chosen = 0;
  for (let row = 0; row < requests.n; row++) {
    // A number that the file does not give lies in no range.
    if (range !== null && !(requests.inputTokens[row]! >= range.from && requests.inputTokens[row]! <= range.to)) continue;
    if (brush !== null && !(within(across![row]!, brush.across) && within(upwards![row]! / 1_000, brush.upwardsMs))) continue;
    rows[chosen++] = row;
  }
  return rows.slice(0, chosen);
}

function within(value: number, [low, high]: readonly [number, number]): boolean {
  return value >= low && value <= high;
}
