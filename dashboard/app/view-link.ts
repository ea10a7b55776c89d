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
  const moves = (end: string | undefined) => end === "now" || end?.startsWith("-") === true;
  // Of a comparison also the range of what was; without an end it is up to now.
  const compared = search.compareFrom === undefined ? {} : { compareFrom: search.compareFrom, compareTo: search.compareTo ?? "now" };
  const ends = { ...range, ...compared };
  const pinned = ranged !== false && Object.values(ends).some(moves);
  if (pinned) for (const [name, end] of Object.entries(ends)) search[name] = fixed(end, nowS) ?? end;
  url.search = stringifySearch(search);
  return { url: url.href, pinned };
}

function fixed(moment: string, nowS: number): string | null {
  const atS = parseMoment(moment, nowS);
  return atS === null ? null : new Date(atS * 1_000).toISOString().replace(".000Z", "Z");
}
