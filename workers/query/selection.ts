// What most queries share: the time range, the filter of a page, and how far the data reaches.
import { ingestedThrough } from "#clickhouse/uploads.ts";
import { readFilter } from "#core/filter/check.ts";
import type { Filter } from "#core/filter/filter.ts";
import { errorCodeOf } from "#core/filter/problem.ts";
import { parseTimeRange, type Seconds } from "#core/time-range.ts";
import type { DataExtent } from "#schema/api/time-range.ts";
import type { Page } from "#schema/fields.ts";
import { pendingOf } from "../control/pending.ts";
import { ApiError } from "../problem.ts";
import { type AnyContext, rowsOf } from "../route-context.ts";

export function rangeOf(query: { from: string; to: string }, nowMs: number): Seconds {
  const range = parseTimeRange(query.from, query.to, Math.floor(nowMs / 1000));
  if (!range.ok) throw new ApiError("time_range_invalid", { detail: range.error });
  return range.value;
}

export function filterOf(text: string, page: Page): Filter {
  const filter = readFilter(text, page);
  if (filter.ok) return filter.value;
  const detail = filter.error.map((one) => `${one.message} at ${one.from}${one.didYouMean === undefined ? "" : `, did you mean ${one.didYouMean}?`}`).join("; ");
  throw new ApiError(errorCodeOf(filter.error), { detail: `${detail}.`.replace("?.", "?"), problems: filter.error });
}

// Complete up to the oldest upload that waits; when none waits, up to the newest that arrived. Null: nothing ever did.
export async function extentOf(context: AnyContext, range: Seconds): Promise<DataExtent> {
  const [[stored], pending] = await Promise.all([rowsOf(context, ingestedThrough(), "extent"), pendingOf(context.env.CONTROL, context.caller.tenant.id)]);
  const newestMs = stored && stored.through_ms > 0 ? stored.through_ms : null;
  const throughMs = pending.oldestMs === null ? newestMs : newestMs === null ? null : Math.min(pending.oldestMs, newestMs);
  return {
    range: { from: iso(range.fromS * 1000), to: iso(range.toS * 1000) },
    ingestedThrough: throughMs === null ? null : iso(throughMs),
  };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
