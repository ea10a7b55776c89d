// What narrows the page down, how much of the run is left, and the way back to all of it.
import { X } from "lucide-react";
import { useState } from "react";
import type { ChangeWorkload, WorkloadSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { parseBrush, parseTokenRange, printTokenRange } from "./chosen-requests.ts";
import { scatterAxes } from "./scatter-axes.ts";
import style from "./workload-page.module.css";

export function FilterRow({ shown, of, search, change }: { readonly shown: number; readonly of: number; readonly search: WorkloadSearch; readonly change: ChangeWorkload }) {
  const range = parseTokenRange(search.input);
  const brush = parseBrush(search.brush);
  const filtered = range !== null || brush !== null;
  const count = (n: number) => n.toLocaleString("en-US");
  const set = (from: string, to: string) => change({ input: printTokenRange({ from: Number(from), to: to === "" ? Infinity : Number(to) }) }, true);
  const [from, to] = [range === null || range.from === 0 ? "" : String(range.from), range === null || range.to === Infinity ? "" : String(range.to)];
  return (
    <div className={style.filter} role="group" aria-label="Which requests are shown">
      <span className={style.tokens}>
        <span>Input tokens</span>
        <TokenInput label="Input tokens from" placeholder="from" value={from} set={(text) => set(text, to)} testId="input-from" />
        –
        <TokenInput label="Input tokens to" placeholder="to" value={to} set={(text) => set(from, text)} testId="input-to" />
      </span>
      {brush !== null && (
        <span className={style.brushed}>
          {scatterAxes[brush.scatter].upwardsLabel} {brush.upwardsMs.map((ms) => ms.toLocaleString("en-US", { maximumFractionDigits: 2 })).join("–")} ms, {brush.across.map((tokens) => tokens.toLocaleString("en-US", { maximumFractionDigits: 0 })).join("–")}{" "}
          {scatterAxes[brush.scatter].acrossLabel}
        </span>
      )}
      <span className={style.filtered} role="status" data-testid="filtered" data-filtered={filtered}>
        {filtered ? `filtered: ${count(shown)} of ${count(of)} requests` : `${count(of)} requests`}
      </span>
      {filtered && (
        <button type="button" className={control.button} onClick={() => change({ input: undefined, brush: undefined })} data-testid="clear-filter">
          <X size={13} aria-hidden="true" />
          Clear
        </button>
      )}
      {!filtered && <span className={style.fine}>drag over a scatter to choose some of them</span>}
    </div>
  );
}

function TokenInput({ label, placeholder, value, set, testId }: { readonly label: string; readonly placeholder: string; readonly value: string; readonly set: (text: string) => void; readonly testId: string }) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    setText(value);
  }
  const commit = () => {
    const next = text.trim();
    if (next === value) return;
    if (next === "" || /^\d{1,10}$/.test(next)) set(next);
    else setText(value);
  };
  return (
    <input
      className={control.input}
      aria-label={label}
      placeholder={placeholder}
      inputMode="numeric"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
      data-testid={testId}
    />
  );
}
