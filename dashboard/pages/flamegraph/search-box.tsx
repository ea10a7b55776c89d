// The search: typed here, kept in the URL, counted as it is typed.
import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useRef, useState, type RefObject } from "react";
import control from "../../parts/control.module.css";
import style from "./search-box.module.css";

const pauseMs = 150;

export type SearchBoxProps = {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly value: string;
  readonly invalid: boolean;
  readonly matches: number;
  readonly change: (text: string) => void;
  readonly step: (forward: boolean) => void;
  readonly leave: () => void;
};

export function SearchBox({ input, value, invalid, matches, change, step, leave }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const stepNext = useRef<boolean | null>(null); // Enter came before the pause was over: step once the new matches are there
  useEffect(() => {
    // A change from outside (a link, the back button) wins; an echo of what was typed does not.
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      change(text);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, change]);
  useEffect(() => {
    if (stepNext.current === null || value !== sent.current) return;
    const forward = stepNext.current;
    stepNext.current = null;
    step(forward);
  }, [value, step]);
  return (
    <div className={style.box}>
      <Search size={14} aria-hidden="true" />
      <input
        ref={input}
        className={control.input}
        type="text"
        aria-label="Search frames"
        placeholder="Search frames: text, /regex/, a,b"
        value={text}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={invalid}
        aria-describedby="search-summary"
        data-testid="flamegraph-search"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            if (text === sent.current) return step(!event.shiftKey);
            stepNext.current = !event.shiftKey;
            sent.current = text;
            change(text);
          }
          if (event.key === "Escape") {
            event.stopPropagation();
            if (text === "") leave();
            else setText("");
          }
        }}
      />
      <span className={style.side}>
        {text === "" ? (
          <kbd>/</kbd>
        ) : (
          <>
            <button type="button" aria-label="Previous match" title="Previous match (N)" disabled={matches === 0} onClick={() => step(false)}>
              <ChevronUp size={14} />
            </button>
            <button type="button" aria-label="Next match" title="Next match (n)" disabled={matches === 0} onClick={() => step(true)}>
              <ChevronDown size={14} />
            </button>
            <button
              type="button"
              aria-label="Clear the search"
              onClick={() => {
                setText("");
                input.current?.focus();
              }}
            >
              <X size={13} />
            </button>
          </>
        )}
      </span>
    </div>
  );
}
