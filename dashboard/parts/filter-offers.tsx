// The list of completions below the filter. The keyboard stays in the input; a click accepts.
import { useEffect, useRef } from "react";
import { printable } from "#core/printable.ts";
import { formatCount } from "./number-format.ts";
import type { Offer } from "./use-completions.ts";
import style from "./filter-bar.module.css";

export function offerId(id: string, at: number): string {
  return `${id}-offer-${at}`;
}

type OffersProps = {
  readonly id: string;
  readonly offers: readonly Offer[];
  readonly failed: boolean;
  readonly chosen: number;
  readonly accept: (option: string) => void;
};

export function FilterOffers({ id, offers, failed, chosen, accept }: OffersProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  if (failed) return <p className={style.offers}>The values could not be loaded; the filter works all the same.</p>;
  return (
    <ul ref={list} id={`${id}-offers`} role="listbox" aria-label="Completions" className={style.offers} data-testid="filter-offers">
      {offers.map(({ option, samples }, at) => (
        <li
          key={option}
          id={offerId(id, at)}
          role="option"
          aria-selected={at === chosen}
          onMouseDown={(event) => {
            event.preventDefault(); // the input keeps the focus
            accept(option);
          }}
        >
          <code>{printable(option)}</code>
          {samples !== null && samples > 0 && <span title={formatCount(samples).exact}>{formatCount(samples).text} {samples === 1 ? "sample" : "samples"}</span>}
        </li>
      ))}
    </ul>
  );
}
