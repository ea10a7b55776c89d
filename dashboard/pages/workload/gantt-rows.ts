// The rows of the Gantt and the stretch of time that those in sight take.
import type { Requests } from "#core/workload/requests.ts";

export type GanttOrder = "start" | "latency";
export type TimeWindow = { readonly fromUs: number; readonly toUs: number };

// By start, or the slowest first; those without the number last, equal ones in the order of the file.
export function ganttRows(requests: Requests, rows: Uint32Array, order: GanttOrder): Uint32Array {
  const key = (row: number) => (order === "start" ? requests.startUs[row]! : -requests.latencyUs[row]!);
  const keys = Float64Array.from(rows, (row) => (Number.isNaN(key(row)) ? Infinity : key(row)));
  const places = Uint32Array.from(rows, (_, place) => place).sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : a - b));
  return places.map((place) => rows[place]!);
}

// When a request ended, as far as the file tells; at least when it was sent.
export function endOf({ latencyUs, ttftUs }: Requests, row: number): number {
  return Number.isNaN(latencyUs[row]!) ? (Number.isNaN(ttftUs[row]!) ? 0 : ttftUs[row]!) : latencyUs[row]!;
}

// What rows[from] to rows[to − 1] take. `absolute`: since the first request was sent; else each since it was sent itself. Never empty.
export function windowOf(requests: Requests, rows: ArrayLike<number>, from: number, to: number, absolute: boolean): TimeWindow {
  let [fromUs, toUs] = absolute ? [Infinity, 0] : [0, 0];
  for (let place = Math.max(0, from); place < Math.min(to, rows.length); place++) {
    const row = rows[place]!;
    const start = absolute ? requests.startUs[row]! : 0;
    if (Number.isNaN(start)) continue;
    fromUs = Math.min(fromUs, start);
    toUs = Math.max(toUs, start + endOf(requests, row));
  }
  if (fromUs === Infinity) fromUs = 0;
  const length = Math.max(toUs - fromUs, 1_000);
  return { fromUs: Math.max(0, fromUs - length * 0.01), toUs: fromUs + length * 1.02 };
}

export function parseWindow(text: string | undefined): TimeWindow | null {
  const [from = NaN, to = NaN] = text?.split("-").map((seconds) => Number(seconds) * 1e6) ?? [];
  return to > from ? { fromUs: from, toUs: to } : null;
}

export function printWindow({ fromUs, toUs }: TimeWindow): string {
  return [fromUs, toUs].map((us) => String(Number((Math.max(0, us) / 1e6).toFixed(4)))).join("-");
}

// Nearer (factor < 1) or farther, the moment at `share` of the window staying where it is; inside the run.
export function zoomWindow({ fromUs, toUs }: TimeWindow, factor: number, share: number, wholeUs: number): TimeWindow {
  const length = Math.min(wholeUs, Math.max(1_000, (toUs - fromUs) * factor));
  const from = Math.min(Math.max(0, fromUs + (toUs - fromUs) * share - length * share), Math.max(0, wholeUs - length));
  return { fromUs: from, toUs: from + length };
}

// Later (share > 0) or earlier, by this share of what is shown.
export function panWindow({ fromUs, toUs }: TimeWindow, share: number, wholeUs: number): TimeWindow {
  const length = toUs - fromUs;
  const from = Math.min(Math.max(0, fromUs + length * share), Math.max(0, wholeUs - length));
  return { fromUs: from, toUs: from + length };
}
