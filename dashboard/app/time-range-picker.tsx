// The time range of the page: presets and a custom range. It lives in the URL (`from`, `to`) and travels from page to page.
import { Calendar, ChevronDown } from "lucide-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";
import control from "../parts/control.module.css";
import { formatClock } from "../parts/moment-format.ts";
import { useNow } from "../parts/moment.tsx";
import { defaultRange, inputOfMoment, momentOfInput, presets, rangeLabel, rangeOf, type TimeRange } from "../parts/time-range.ts";
import style from "./time-range-picker.module.css";

// `usual`: what the page shows when the URL names no range.
export function useTimeRange(usual: TimeRange = defaultRange): TimeRange {
  return rangeOf(useSearch({ from: "/t/$tenant" }), usual);
}

export function TimeRangePicker({ usual }: { readonly usual: TimeRange | undefined }) {
  const range = useTimeRange(usual);
  const navigate = useNavigate();
  const now = useNow();
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [custom, setCustom] = useState({ from: "", to: "" });
  const [problem, setProblem] = useState("");
  const choose = (next: TimeRange) => {
    panel.current?.hidePopover();
    void navigate({
      to: ".",
      search: ((old: Record<string, unknown>) => ({ ...old, from: next.from, to: next.to === "now" ? undefined : next.to })) as never,
    });
  };
  const moment = (iso: string) => formatClock(/^\d+$/.test(iso) ? Number(iso) * 1_000 : Date.parse(iso), now);
  const apply = () => {
    const from = momentOfInput(custom.from);
    const to = custom.to === "" ? "now" : momentOfInput(custom.to);
    if (from === undefined || to === undefined) return setProblem("Give the start as a date and a time; an empty end means now.");
    if (to !== "now" && Date.parse(from) >= Date.parse(to)) return setProblem("The start must lie before the end.");
    choose({ from, to });
  };
  return (
    <>
      <button type="button" className={`${control.button} ${style.opener}`} popoverTarget={id} data-testid="time-range">
        <Calendar size={14} />
        {rangeLabel(range, moment)}
        <ChevronDown size={14} />
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={style.panel}
        role="dialog"
        aria-label="Time range"
        onToggle={(event) => {
          if (event.newState === "open") {
            setProblem("");
            setCustom({ from: inputOfMoment(range.from), to: range.to === "now" ? "" : inputOfMoment(range.to) });
          }
        }}
      >
        <ul className={style.presets}>
          {presets.map((preset) => (
            <li key={preset.from}>
              <button
                type="button"
                aria-pressed={range.to === "now" && range.from === preset.from}
                onClick={() => choose({ from: preset.from, to: "now" })}
              >
                {preset.label}
              </button>
            </li>
          ))}
        </ul>
        <form
          className={style.custom}
          onSubmit={(event) => {
            event.preventDefault();
            apply();
          }}
        >
          <label className={control.field}>
            <span>From</span>
            <input
              className={control.input}
              type="datetime-local"
              value={custom.from}
              onChange={(event) => setCustom({ ...custom, from: event.target.value })}
            />
          </label>
          <label className={control.field}>
            <span>To (empty: now)</span>
            <input
              className={control.input}
              type="datetime-local"
              value={custom.to}
              onChange={(event) => setCustom({ ...custom, to: event.target.value })}
            />
          </label>
          {problem !== "" && (
            <p role="alert" className={style.problem}>
              {problem}
            </p>
          )}
          <button type="submit" className={`${control.button} ${control.primary}`}>
            Apply
          </button>
        </form>
      </div>
    </>
  );
}
