// Search over all modules of the shape, through collapsed sections: hits that are folded together are one line. Enter and Shift+Enter go through them.
import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { printable } from "#core/printable.ts";
import { roleOfClass } from "#core/shape/role.ts";
import type { Found } from "#core/shape/find/find.ts";
import control from "../../parts/control.module.css";
import { formatExact } from "../../parts/number-format.ts";
import { RoleMark } from "./role-mark.tsx";
import style from "./model-structure.module.css";

export type ModuleSearchProps = {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly value: string;
  readonly found: Found | null;
  readonly problem: string;
  readonly change: (text: string) => void;
  readonly pick: (path: string) => void; // reveals and selects
  readonly leave: () => void;
};

const listed = 100; // lines of the list; the marks on the graph are of all hits

export function ModuleSearch({ input, value, found, problem, change, pick, leave }: ModuleSearchProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const list = useId();
  useEffect(() => {
    // A change from outside (a link, the back button) wins; an echo of what was typed does not.
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  const hits = found?.hits ?? [];
  const type = (next: string) => {
    setText(next);
    setAt(-1);
    setOpen(true);
    sent.current = next;
    change(next);
  };
  const go = (to: number) => {
    const hit = hits[to];
    if (hit === undefined) return;
    setAt(to);
    pick(hit.first);
  };
  const step = (forward: boolean) => {
    if (hits.length > 0) go((at + (forward ? 1 : hits.length - 1) + (at < 0 && !forward ? 1 : 0)) % hits.length);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") step(!event.shiftKey);
    else if (event.key === "ArrowDown" && open) setAt(Math.min(at + 1, Math.min(hits.length, listed) - 1));
    else if (event.key === "ArrowUp" && open) setAt(Math.max(at - 1, 0));
    else if (event.key === "Escape") {
      if (open && text !== "") setOpen(false);
      else if (text !== "") type("");
      else leave();
      event.stopPropagation();
      return;
    } else return;
    event.preventDefault();
  };
  const shown = open && text !== "";
  return (
    <div className={style.search} onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}>
      <Search size={14} aria-hidden="true" />
      <input
        ref={input}
        className={control.input}
        type="text"
        role="combobox"
        aria-label="Search modules"
        aria-expanded={shown}
        aria-controls={list}
        aria-autocomplete="list"
        {...(shown && hits[at] !== undefined ? { "aria-activedescendant": `${list}-${at}` } : {})}
        aria-invalid={problem !== ""}
        placeholder="Search name, class, path, dtype"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onFocus={() => setOpen(true)}
        onChange={(event) => type(event.target.value)}
        onKeyDown={keyDown}
        data-testid="module-search"
      />
      <span className={style.searchSide} role="status">
        {text !== "" && (problem === "" ? <span data-testid="module-search-count">{countText(found, at)}</span> : <span className={style.problem}>{problem}</span>)}
        {text === "" ? (
          <kbd>/</kbd>
        ) : (
          <>
            <button type="button" aria-label="Previous match" title="Previous match (Shift+Enter)" disabled={hits.length === 0} onClick={() => step(false)}>
              <ChevronUp size={14} />
            </button>
            <button type="button" aria-label="Next match" title="Next match (Enter)" disabled={hits.length === 0} onClick={() => step(true)}>
              <ChevronDown size={14} />
            </button>
            <button type="button" aria-label="Clear the search" onClick={() => (type(""), input.current?.focus())}>
              <X size={13} />
            </button>
          </>
        )}
      </span>
      {shown && found !== null && (
        <ul id={list} role="listbox" aria-label="Matches" className={style.hits} data-testid="module-hits">
          {hits.slice(0, listed).map((hit, i) => (
            <li
              key={hit.first}
              id={`${list}-${i}`}
              role="option"
              aria-selected={i === at}
              onPointerDown={(event) => {
                event.preventDefault();
                go(i);
                setOpen(false);
              }}
            >
              <RoleMark role={roleOfClass(hit.className)} />
              <span className={style.hitPath}>{printable(hit.first) || "the model"}</span>
              <span className={style.hitClass}>{printable(hit.className)}</span>
              {hit.of > 1 && <span className={style.hitCopies}>{hit.copies === hit.of ? `${formatExact(hit.of)} copies` : `${formatExact(hit.copies)} of ${formatExact(hit.of)} copies`}</span>}
            </li>
          ))}
          {(hits.length > listed || found.more) && <li className={style.hitMore} role="presentation">{`and more: ${formatExact(found.matches)} modules match; write another word to narrow it`}</li>}
        </ul>
      )}
    </div>
  );
}

// "128 modules in 2 places", "2 of 5 places"
function countText(found: Found | null, at: number): string {
  if (found === null) return "";
  const places = `${formatExact(found.hits.length)}${found.more ? "+" : ""}`;
  if (at >= 0) return `${at + 1} of ${places}`;
  return found.matches === found.hits.length ? `${formatExact(found.matches)} ${found.matches === 1 ? "match" : "matches"}` : `${formatExact(found.matches)} in ${places} ${found.hits.length === 1 ? "place" : "places"}`;
}
