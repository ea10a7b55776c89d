// Moments as people and URLs write them: Unix seconds, an ISO time, or a distance to now ("-1h", "now"). Pure: now is given.
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "./result.ts";

export type Seconds = { readonly fromS: number; readonly toS: number };

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

// Unix seconds, whole. Null when the text is no moment.
export function parseMoment(text: string, nowS: number): number | null {
  const trimmed = text.trim();
  if (trimmed === "now") return nowS;
  const distance = /^-(\d{1,6})([smhdw])$/.exec(trimmed);
  if (distance) return nowS - Number(distance[1]) * unitSeconds[distance[2]!]!;
  if (/^\d{9,11}$/.test(trimmed)) return Number(trimmed);
  if (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(trimmed)) {
    const ms = Date.parse(trimmed);
    // Date.parse rolls a day over that its month does not have: the 31st of February is no moment.
    const day = Date.parse(`${trimmed.slice(0, 10)}T00:00:00Z`);
    const exists = !Number.isNaN(day) && new Date(day).toISOString().startsWith(trimmed.slice(0, 10));
    return Number.isNaN(ms) || !exists ? null : Math.floor(ms / 1000);
  }
  return null;
}

export function parseTimeRange(from: string, to: string, nowS: number): Result<Seconds, string> {
  const fromS = parseMoment(from, nowS);
  const toS = parseMoment(to, nowS);
  for (const [name, text, value] of [["from", from, fromS], ["to", to, toS]] as const) {
    if (value === null || value < 0 || value > 4_294_967_295) {
      return err(`\`${name}\` is "${text.slice(0, 60)}"; write Unix seconds (1764426720), an ISO time with zone (2026-11-29T14:00:00Z), or a distance to now (-1h, -7d, now).`);
    }
  }
  if (fromS! >= toS!) return err(`\`from\` (${from}) is not before \`to\` (${to}).`);
  if (toS! - fromS! > limits.timeRangeDaysMax * 86_400) return err(`The range is longer than ${limits.timeRangeDaysMax} days (timeRangeDaysMax); shorten it.`);
  return ok({ fromS: fromS!, toS: toS! });
}
