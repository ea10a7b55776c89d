// Goodput: how many requests kept every limit a person sets. The limits are in the URL.
import { memo, useId, useMemo, useState } from "react";
import { goodputOf } from "#core/workload/goodput.ts";
import type { Requests } from "#core/workload/requests.ts";
import type { ChangeWorkload } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { formatRate, formatShare } from "../../parts/number-format.ts";
import style from "./goodput-panel.module.css";

const limits = [
  { name: "ttft", label: "TTFT", of: "ttftUs", title: "A good request has at most this TTFT" },
  { name: "tpot", label: "TPOT", of: "tpotUs", title: "A good request has at most this TPOT; an answer of one token has none and keeps it" },
  { name: "e2e", label: "E2E", of: "latencyUs", title: "A good request has at most this latency" },
] as const;

type GoodputProps = { readonly requests: Requests; readonly durationS: number | undefined; readonly ttft: string | undefined; readonly tpot: string | undefined; readonly e2e: string | undefined; readonly change: ChangeWorkload };

export const GoodputPanel = memo(function GoodputPanel({ requests, durationS, ttft, tpot, e2e, change }: GoodputProps) {
  const search = { ttft, tpot, e2e };
  const { good, failed, notJudged, missed, share, goodPerS } = useMemo(() => {
    const us = (text: string | undefined) => (text === undefined ? undefined : Number(text) * 1_000);
    return goodputOf(requests, { ttftUs: us(ttft), tpotUs: us(tpot), latencyUs: us(e2e) }, durationS);
  }, [requests, durationS, ttft, tpot, e2e]);
  const judged = requests.n - notJudged;
  const asked = limits.filter(({ name }) => search[name] !== undefined);
  const count = (n: number) => n.toLocaleString("en-US");
  return (
    <section className={style.panel} aria-label="Goodput" data-testid="goodput" data-good={good} data-failed={failed} data-judged={judged}>
      <h2>Goodput</h2>
      <div className={style.limits}>
        {limits.map(({ name, label, title }) => (
          <Limit key={name} label={`${label} ≤`} title={title} value={search[name] ?? ""} set={(text) => change({ [name]: text === "" ? undefined : text }, true)} testId={`goodput-${name}`} />
        ))}
      </div>
      <p className={style.answer}>
        <strong>{Number.isNaN(share) ? "—" : formatShare(share)}</strong>
        <span>
          {count(good)} of {count(judged)} requests good
          {goodPerS !== undefined && <>, {formatRate(goodPerS).text} requests/s</>}
        </span>
      </p>
      <div className={style.bar} aria-hidden="true">
        <i data-part="good" style={{ flexGrow: good }} />
        <i data-part="missed" style={{ flexGrow: judged - good - failed }} />
        <i data-part="failed" style={{ flexGrow: failed }} />
      </div>
      <ul className={style.parts}>
        {asked.map(({ name, label, of }) => (
          <li key={name} data-testid={`missed-${name}`}>
            <b>{count(missed[of])}</b> over the {label}
          </li>
        ))}
        <li>
          <b>{count(failed)}</b> failed
        </li>
        {notJudged > 0 && (
          <li title="The file lacks a number that a limit asks for">
            <b>{count(notJudged)}</b> cannot be judged
          </li>
        )}
      </ul>
      {asked.length === 0 && <p className={style.hint}>Without a limit every request that did not fail is good. Set some above, in ms.</p>}
      {asked.length > 1 && <p className={style.hint}>One request can be over several limits.</p>}
    </section>
  );
});

// The text is the person's while it is no number; a number goes to the URL as it is typed.
function Limit({ label, title, value, set, testId }: { readonly label: string; readonly title: string; readonly value: string; readonly set: (text: string) => void; readonly testId: string }) {
  const id = useId();
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    if (Number(text) !== Number(value)) setText(value);
  }
  const valid = text === "" || (/^\d{1,9}(\.\d{1,6})?$/.test(text) && Number(text) > 0);
  return (
    <span className={style.limit}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={control.input}
        inputMode="decimal"
        title={title}
        value={text}
        placeholder="any"
        aria-invalid={!valid}
        data-testid={testId}
        onChange={(event) => {
          const next = event.target.value.trim();
          setText(next);
          if (next === "" || (/^\d{1,9}(\.\d{1,6})?$/.test(next) && Number(next) > 0)) set(next);
        }}
      />
      <span>ms</span>
    </span>
  );
}
