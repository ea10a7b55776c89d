// `g` and then a letter goes to a page, but not away from an open dialog: a new token is shown once. A letter alone, or one too late, is the page's own.
import { useEffect } from "react";
import { isTyping } from "../parts/is-typing.ts";
import type { ListedPage } from "./page-list.ts";

const togetherMs = 1_000;

export function useGoKeys(pages: readonly ListedPage[], go: (page: ListedPage) => void): void {
  useEffect(() => {
    let after = Number.NEGATIVE_INFINITY; // when "g" was pressed, in the time of events
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
      const page = event.timeStamp - after < togetherMs ? pages.find(({ key }) => key === event.key) : undefined;
      if (page !== undefined) {
        event.preventDefault();
        event.stopPropagation();
        go(page);
      }
      after = event.key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    addEventListener("keydown", pressed, { capture: true });
    return () => removeEventListener("keydown", pressed, { capture: true });
  }, [pages, go]);
}
