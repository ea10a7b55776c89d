// The filter: text in the grammar of every page, completed as it is typed, applied with Enter, checked by the server, mistakes shown where they stand.
import { Filter, X } from "lucide-react";
import { lazy, Suspense, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { fieldsOfPage, fields, type Page } from "#schema/fields.ts";
import { acceptCompletion, type Typed } from "./accept-completion.ts";
import type { ApiError } from "./api-error.ts";
import control from "./control.module.css";
import { FilterOffers, offerId } from "./filter-offers.tsx";
import { isFilterProblem } from "./is-filter-problem.ts";
import { useCompletions, type LoadValues } from "./use-completions.ts";
import style from "./filter-bar.module.css";

const FilterProblem = lazy(async () => ({ default: (await import("./filter-problem.tsx")).FilterProblem })); // loaded with the first mistake

export type FilterBarProps = {
  readonly page: Page;
  readonly value: string;
  readonly apply: (filter: string) => void;
  readonly problem: ApiError | null;
  readonly values: LoadValues;
};

export function FilterBar({ page, value, apply, problem, values }: FilterBarProps) {
  const [text, setText] = useState(value);
  const [typed, setTyped] = useState<Typed | null>(null); // what completions are offered for; null: the list is closed
  const [chosen, setChosen] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const cursor = useRef<number | null>(null); // where the cursor goes after a completion
  const id = useId();
  const [applied, setApplied] = useState(value);
  if (applied !== value) {
    setApplied(value);
    setText(value);
  }
  useLayoutEffect(() => {
    if (cursor.current !== null) input.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  });
  const found = useCompletions(page, typed, values);
  const offers = found?.offers ?? [];
  const open = found !== null && (offers.length > 0 || found.failed);
  const show = (next: Typed | null) => {
    setTyped(next);
    setChosen(-1);
  };
  const showHere = () => show({ text, cursor: input.current?.selectionStart ?? text.length });
  const accept = (option: string) => {
    if (found === null) return;
    const next = acceptCompletion(text, found.completion, option);
    cursor.current = next.cursor;
    setText(next.text);
    show(next);
  };
  const keyDown = (event: KeyboardEvent) => {
    const pick = open ? offers[chosen]?.option : undefined;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const by = event.key === "ArrowDown" ? 1 : -1;
      if (!open) showHere();
      else setChosen(chosen < 0 && by < 0 ? offers.length - 1 : (chosen + by + offers.length) % Math.max(1, offers.length));
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (open) show(null);
      else setText(value);
    } else if ((event.key === "Enter" || event.key === "Tab") && pick !== undefined) accept(pick);
    else return;
    event.preventDefault();
  };

  const [first] = fieldsOfPage(page);
  const shown = problem !== null && isFilterProblem(problem) ? problem : null;
  return (
    <div className={style.bar}>
      <form
        role="search"
        aria-label="Filter"
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault();
          show(null);
          apply(text.trim());
        }}
      >
        <Filter size={14} aria-hidden="true" />
        <input
          ref={input}
          className={control.input}
          role="combobox"
          aria-label="Filter"
          aria-autocomplete="list"
          aria-expanded={open}
          aria-controls={open ? `${id}-offers` : undefined}
          aria-activedescendant={open && chosen >= 0 ? offerId(id, chosen) : undefined}
          placeholder={first === undefined ? "Filter" : `Filter, e.g. ${first} == "${fields[first].example}"`}
          value={text}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          aria-invalid={shown !== null}
          aria-describedby={shown === null ? undefined : id}
          data-testid="filter"
          onChange={(event) => {
            setText(event.target.value);
            show({ text: event.target.value, cursor: event.target.selectionStart ?? event.target.value.length });
          }}
          onClick={showHere}
          onBlur={() => show(null)}
          onKeyDown={keyDown}
        />
        {open && <FilterOffers id={id} offers={offers} failed={found.failed} chosen={chosen} accept={accept} />}
        {text !== "" && (
          <button
            type="button"
            className={style.clear}
            aria-label="Clear the filter"
            onClick={() => {
              setText("");
              apply("");
              input.current?.focus();
            }}
          >
            <X size={13} />
          </button>
        )}
        {text.trim() !== value && <kbd className={style.hint}>Enter</kbd>}
      </form>
      {shown !== null && (
        <Suspense>
          <FilterProblem id={id} page={page} source={value} problem={shown} />
        </Suspense>
      )}
    </div>
  );
}
