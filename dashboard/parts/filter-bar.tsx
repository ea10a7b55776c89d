// The filter: text in the grammar of every page, applied with Enter, checked by the server, mistakes shown where they stand.
import { Filter, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { fieldsOfPage, fields, type Page } from "#schema/fields.ts";
import type { ApiError } from "./api-error.ts";
import control from "./control.module.css";
import { ProblemText } from "./problem-text.tsx";
import style from "./filter-bar.module.css";

export type FilterBarProps = {
  readonly page: Page;
  readonly value: string;
  readonly apply: (filter: string) => void;
  readonly problem: ApiError | null;
};

// True for errors that the filter bar itself explains.
export function isFilterProblem(error: ApiError | null): boolean {
  return error !== null && error.code.startsWith("filter_");
}

export function FilterBar({ page, value, apply, problem }: FilterBarProps) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [applied, setApplied] = useState(value);
  if (applied !== value) {
    setApplied(value);
    setText(value);
  }
  const names = fieldsOfPage(page);
  const example = names[0] === undefined ? "" : `${names[0]} == "${fields[names[0]].example}"`;
  const shown = problem !== null && isFilterProblem(problem) ? problem : null;
  const listed = shown?.code === "filter_field_unsupported"; // the fields of the page are listed once, below all mistakes
  return (
    <div className={style.bar}>
      <form
        role="search"
        aria-label="Filter"
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault();
          apply(text.trim());
        }}
      >
        <Filter size={14} aria-hidden="true" />
        <input
          ref={input}
          className={control.input}
          aria-label="Filter"
          placeholder={`Filter, e.g. ${example}`}
          value={text}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          aria-invalid={shown !== null}
          aria-describedby={shown === null ? undefined : id}
          data-testid="filter"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              setText(value);
              event.stopPropagation();
            }
          }}
        />
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
        <div id={id} className={style.problem} role="alert" data-testid="filter-problem" data-code={shown.code}>
          <strong>{shown.title}</strong>
          {shown.problems.length > 0 ? <ProblemText source={value} problems={listed ? shown.problems.map(withoutExpected) : shown.problems} /> : <p>{shown.detail}</p>}
          {listed && (
            <p className={style.fields}>
              This page filters by{" "}
              {names.map((name, at) => (
                <span key={name}>
                  {at > 0 && ", "}
                  <code>{name}</code>
                </span>
              ))}
              .
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function withoutExpected(problem: ApiError["problems"][number]): ApiError["problems"][number] {
  return { ...problem, expected: [] };
}
