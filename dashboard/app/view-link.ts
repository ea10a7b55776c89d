// The address of a view as it is passed on: what is relative to now ("the last hour") becomes the moments it means now, so that the link shows the same later.
import { parseMoment } from "#core/time-range.ts";
import { rangeOf, type TimeRange } from "../parts/time-range.ts";
import { parseSearch, stringifySearch } from "./url-state.ts";

export type ViewLink = { readonly url: string; readonly pinned: boolean }; // pinned: a moving range became a fixed one

// `ranged`: the page is about a time range, this one when the URL names none. `extra`: what only a copied link says, such as where a drawing is scrolled to.
export function viewLink(href: string, ranged: boolean | TimeRange, nowS: number, extra: Readonly<Record<string, string | undefined>> = {}): ViewLink {
  const url = new URL(href);
  const search: Record<string, string | undefined> = { ...parseSearch(url.search), ...extra };
  const range = rangeOf(search, typeof ranged === "object" ? ranged : undefined);
  const moves = (end: string) => end === "now" || end.startsWith("-");
  const pinned = ranged !== false && (moves(range.from) || moves(range.to));
  if (pinned) for (const end of ["from", "to"] as const) search[end] = fixed(range[end], nowS) ?? range[end];
  url.search = stringifySearch(search);
  return { url: url.href, pinned };
}

function fixed(moment: string, nowS: number): string | null {
  const atS = parseMoment(moment, nowS);
  return atS === null ? null : new Date(atS * 1_000).toISOString().replace(".000Z", "Z");
}
