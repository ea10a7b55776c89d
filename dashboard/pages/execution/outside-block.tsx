// What ran in no module, above and below the model: its operators, those that took longest first.
import { printable } from "#core/printable.ts";
import type { OutsidePlace } from "#core/trace/execution.ts";
import { outsideOperators } from "#core/trace/outside-operators.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { ShareBar } from "./share-bar.tsx";
import style from "./architecture.module.css";

const shownMax = 8;

type Place = OutsidePlace | "unplaced";
const words: Record<Place, string> = { before: "Before the model", between: "Between calls of the model", after: "After the model", unplaced: "In no module; the record does not say when" };

// Above the model what ran before it, below it the rest. A file without modules has no model to be before or after.
export function OutsideBlock({ record, above }: { readonly record: ExecutionRecord; readonly above: boolean }) {
  const all = outsideOperators(record);
  const places = (above ? (["before"] as const) : (["between", "after", "unplaced"] as const)).filter((place: Place) => all.has(place));
  return places.map((one) => {
    const ops = all.get(one) ?? [];
    return (
      <section key={one} className={style.outside} aria-label={words[one]} data-testid={`outside-${one}`}>
        <h2>{words[one]}</h2>
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
