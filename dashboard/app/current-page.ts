// What the page that is open can do, for those outside it: the command palette asks. Only the page header writes it.
import type { TimeRange } from "../parts/time-range.ts";

export type CurrentPage = {
  readonly title: string;
  readonly ranged: boolean | TimeRange; // the range when the URL names none
  readonly refresh: (() => void) | undefined;
  readonly linkSearch: (() => Readonly<Record<string, string | undefined>>) | undefined;
  readonly linkNote: string | undefined; // what a link to it does not carry
};

let page: CurrentPage = { title: "", ranged: false, refresh: undefined, linkSearch: undefined, linkNote: undefined };

export function setCurrentPage(next: CurrentPage): void {
  page = next;
}

export function currentPage(): CurrentPage {
  return page;
}
