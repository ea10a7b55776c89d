// A time range as the URL holds it (`from`, `to` in the API's own words) and as the picker names it.
export type TimeRange = { readonly from: string; readonly to: string };

export const presets = [
  { from: "-15m", label: "Last 15 minutes" },
  { from: "-1h", label: "Last hour" },
  { from: "-6h", label: "Last 6 hours" },
  { from: "-24h", label: "Last 24 hours" },
  { from: "-7d", label: "Last 7 days" },
  { from: "-30d", label: "Last 30 days" },
] as const;

export const defaultRange: TimeRange = { from: "-24h", to: "now" };

export function rangeOf(search: { readonly from?: string | undefined; readonly to?: string | undefined }, usual = defaultRange): TimeRange {
  return { from: search.from ?? usual.from, to: search.to ?? usual.to };
}

const units: Readonly<Record<string, string>> = { s: "seconds", m: "minutes", h: "hours", d: "days", w: "weeks" };

export function rangeLabel(range: TimeRange, moment: (iso: string) => string): string {
  const preset = range.to === "now" ? presets.find((one) => one.from === range.from) : undefined;
  if (preset !== undefined) return preset.label;
  const distance = distanceText(range.from);
  if (distance !== null && range.to === "now") return `Last ${distance}`;
  return [range.from, range.to].map((end) => endLabel(end, moment)).join(" – ");
}

function endLabel(end: string, moment: (iso: string) => string): string {
  const distance = distanceText(end);
  return distance !== null ? `${distance} ago` : end === "now" ? end : moment(end);
}

// "-3d" → "3 days"; null for a moment.
function distanceText(end: string): string | null {
  const distance = /^-(\d+)([smhdw])$/.exec(end);
  return distance === null ? null : `${distance[1]} ${units[distance[2] as string]}`;
}

// What a datetime-local input gives, as the ISO moment the API takes; undefined when it is empty or not a date.
export function momentOfInput(value: string): string | undefined {
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().replace(".000Z", "Z");
}

// The reverse: an absolute moment of the URL in local time for the input, "" for a distance.
export function inputOfMoment(moment: string): string {
  const at = /^\d{9,11}$/.test(moment) ? Number(moment) * 1_000 : Date.parse(moment);
  if (Number.isNaN(at) || moment.startsWith("-")) return "";
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
