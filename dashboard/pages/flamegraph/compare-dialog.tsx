// Chooses what the selection is compared with: A, what was.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { printable } from "#core/printable.ts";
import { useSession } from "../../app/session.tsx";
import control from "../../parts/control.module.css";
import { Dialog } from "../../parts/dialog.tsx";
import { formatClock } from "../../parts/moment-format.ts";
import { useNow } from "../../parts/moment.tsx";
import { inputOfMoment, momentOfInput } from "../../parts/time-range.ts";
import type { CompareProps } from "./compare-button.tsx";
import { executionsQuery } from "./flamegraph-query.ts";
import { noFilter } from "./is-comparing.ts";
import style from "./compare-dialog.module.css";

type Way = "before" | "range" | "execution" | "filter";

export function CompareDialog({ search, execution, change, close }: CompareProps & { readonly close: () => void }) {
  const { tenant } = useSession();
  const now = useNow();
  const list = useQuery(executionsQuery(tenant)).data?.executions.filter((one) => one.complete) ?? [];
  const others = list.filter((one) => one.id !== execution);
  const [way, setWay] = useState<Way>(search.compareFrom !== undefined ? "range" : execution !== null ? "execution" : search.compareFilter !== undefined ? "filter" : "before");
  const [picked, setPicked] = useState(search.compare);
  const chosen = (others.find((one) => one.id === picked) ?? others[0])?.id; // what the list shows
  const [from, setFrom] = useState(inputOfMoment(search.compareFrom ?? ""));
  const [to, setTo] = useState(inputOfMoment(search.compareTo ?? ""));
  const [filter, setFilter] = useState((search.compareFilter ?? search.filter ?? "").trim());
  const [problem, setProblem] = useState("");

  const apply = () => {
    const compareFilter = filter.trim() === (search.filter ?? "") ? undefined : filter.trim() || noFilter;
    const start = momentOfInput(from);
    const end = momentOfInput(to);
    if (way === "range" && start === undefined) return setProblem("Give the start as a date and a time; an empty end means now.");
    if (way === "range" && end !== undefined && Date.parse(start as string) >= Date.parse(end)) return setProblem("The start must lie before the end.");
    if (way === "execution" && chosen === undefined) return setProblem("Choose an execution.");
    if (way === "filter" && compareFilter === undefined) return setProblem("The filter is the same as that of the page: write another for A.");
    const sameRange = way === "filter" && execution === null;
    change({
      execution: execution ?? "live", // what is shown now, also where it was shown for want of live samples
      compare: way === "before" ? "before" : way === "range" ? "live" : way === "execution" ? chosen : (execution ?? "live"),
      compareFrom: way === "range" ? start : sameRange ? ((search as { from?: string }).from ?? "-24h") : undefined,
      compareTo: way === "range" ? end : sameRange ? (search as { to?: string }).to : undefined,
      compareFilter,
      focus: undefined,
    });
    close();
  };
  const radio = (value: Way, text: string, off = "") => (
    <label className={control.check} title={off}>
      <input type="radio" name="with" value={value} checked={way === value} disabled={off !== ""} onChange={() => setWay(value)} data-testid={`compare-with-${value}`} />
      {text}
      {off !== "" && <span className={style.note}>{off}</span>}
    </label>
  );
  return (
    <Dialog title="Compare with" close={close} testId="compare-dialog">
      <form
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <p className={style.note}>What the page shows is B, what is now. Choose A, what was.</p>
        <fieldset>
          <legend>A is</legend>
          {radio("before", "The time before, as long as the range of the page", execution === null ? "" : "An execution has no time before it.")}
          <div className={style.choice}>
            {radio("range", "Live samples of another time range")}
            {way === "range" && (
              <div className={style.inner}>
                <label className={control.field}>
                  <span>From</span>
                  <input className={control.input} type="datetime-local" value={from} onChange={(event) => setFrom(event.target.value)} data-testid="compare-from" />
                </label>
                <label className={control.field}>
                  <span>To (empty: now)</span>
                  <input className={control.input} type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} data-testid="compare-to" />
                </label>
              </div>
            )}
          </div>
          <div className={style.choice}>
            {radio("execution", "An execution", others.length === 0 ? "There is no other one. npx lamella import trace.json.gz adds it." : "")}
            {way === "execution" && others.length > 0 && (
              <div className={style.inner}>
                <select className={control.select} aria-label="Execution to compare with" value={chosen} onChange={(event) => setPicked(event.target.value)} data-testid="compare-execution">
                  {others.map((one) => (
                    <option key={one.id} value={one.id}>
                      {printable(one.name)} · {printable(one.device)} · {formatClock(Date.parse(one.importedAt), now)}
                    </option>
                  ))}
                </select>
              </div>
            )}
          </div>
          {radio("filter", "The same, with another filter")}
        </fieldset>
        <label className={control.field}>
          <span>Filter of A</span>
          <input className={control.input} value={filter} spellCheck={false} autoComplete="off" onChange={(event) => setFilter(event.target.value)} data-testid="compare-filter" />
        </label>
        {problem !== "" && (
          <p role="alert" className={style.problem}>
            {problem}
          </p>
        )}
        <button type="submit" className={`${control.button} ${control.primary}`} data-testid="compare-apply">
          Compare
        </button>
      </form>
    </Dialog>
  );
}
