// Moments as people read them: a distance to now, a clock time, and the exact moment in both zones for hovering. Pure: `now` is always given, in ms.
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export function formatDistance(at: number, now: number): string {
  const ago = now - at;
  const size = Math.abs(ago);
  const say = (count: number, unit: string) => (ago >= 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`);
  if (size < 10_000) return "just now";
  if (size < minute) return say(Math.round(size / 1_000), "s");
  if (size < hour) return say(Math.round(size / minute), "min");
  if (size < 2 * day) return say(Math.round(size / hour), "h");
  return say(Math.round(size / day), "days");
}

// 12:04 today, otherwise with its date. Local time unless a zone is named.
export function formatClock(at: number, now: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const date = new Intl.DateTimeFormat("en-CA", { ...zone, year: "numeric", month: "2-digit", day: "2-digit" });
  const clock = new Intl.DateTimeFormat("en-GB", { ...zone, hour: "2-digit", minute: "2-digit" });
  return date.format(at) === date.format(now) ? clock.format(at) : `${date.format(at)} ${clock.format(at)}`;
}

export function formatExactMoment(at: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const local = new Intl.DateTimeFormat("en-CA", {
    ...zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  return `${local.format(at).replace(",", "")} · ${new Date(at).toISOString()}`;
}
