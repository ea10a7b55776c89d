// What ran in no module, above and below the model: its operators, those that took longest first.
import { printable } from "#core/printable.ts";
import { outsideOperators, type OutsidePlace } from "#core/trace/outside-operators.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { ShareBar } from "./share-bar.tsx";
import style from "./architecture.module.css";

const shownMax = 8;

const words: Record<OutsidePlace, string> = { before: "Before the model", after: "After the model", between: "Between calls of the model", unplaced: "In no module, before, between or after the model's calls: the record does not say which" };

export function OutsideBlock({ record, place }: { readonly record: ExecutionRecord; readonly place: "before" | "after" }) {
  const all = outsideOperators(record);
  // What no one can place stands once, below the model.
  const places = all.has("unplaced") ? (place === "after" ? (["unplaced"] as const) : []) : place === "before" ? (["before"] as const) : (["between", "after"] as const);
  return places.map((one) => {
    const ops = all.get(one) ?? [];
    return (
      <section key={one} className={style.outside} aria-label={words[one]} data-testid={`outside-${one}`}>
        <h2>{words[one]}</h2>
        {ops.length === 0 && <p className={style.source}>nothing</p>}
        <ul>
          {ops.slice(0, shownMax).map(({ op, calls, value, cpuNs }) => (
            <li key={op}>
              <code>{printable(op) || "no operator"}</code>
              <small>{calls > 0 && `×${calls.toLocaleString("en-US")}`}</small>
              <span className={style.time}>{value > 0 ? <Quantity value={formatValue(value, "ns")} /> : <span title="On the host; it launched no kernel">{formatValue(cpuNs, "ns").text} CPU</span>}</span>
              <span className={style.bar}>{value > 0 && <ShareBar share={record.totals.value === 0 ? 0 : value / record.totals.value} title="Share of the whole execution" />}</span>
            </li>
          ))}
        </ul>
        {ops.length > shownMax && <p className={style.source}>and {ops.length - shownMax} shorter ones</p>}
      </section>
    );
  });
}
