// The samples' time of the selected module: its share, over its copies the least, median and most, and the copies that are unlike the others.
import { printable } from "#core/printable.ts";
import { formatExact, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { Fact, PathButton, Section } from "./detail-parts.tsx";
import type { GraphTimes } from "./graph/module-graph.tsx";
import { indexOf, Spark } from "./graph/spark.tsx";
import type { ModuleNode } from "./module-nodes.ts";
import style from "./module-details.module.css";

export function ModuleTimeSection({ times, node, label, reveal }: { readonly times: GraphTimes; readonly node: ModuleNode; readonly label: string; readonly reveal: (path: string) => void }) {
  const time = times.byPath.get(node.path);
  if (time === undefined) return <Section title={label}><p className={style.fine}>No samples in this time range name this module.</p></Section>;
  const value = (amount: number) => <Quantity value={formatValue(amount, times.unit)} />;
  return (
    <Section title={label}>
      <dl className={style.facts} data-testid="module-time">
        <Fact label="Share" value={formatShare(times.whole === 0 ? 0 : time.total / times.whole)} />
        <Fact label={time.copies.length > 1 ? "All copies" : "Total"} value={value(time.total)} />
        {time.copies.length > 1 && (
          <>
            <Fact label={`Least (${printable(indexOf(time.least, time.most))})`} value={value(time.least.value)} />
            <Fact label="Median" value={value(time.median)} />
            <Fact label={`Most (${printable(indexOf(time.most, time.least))})`} value={value(time.most.value)} />
            {time.copies.length < node.copies && <Fact label="Copies with samples" value={`${formatExact(time.copies.length)} of ${formatExact(node.copies)}`} />}
          </>
        )}
      </dl>
      {time.copies.length > 1 && <Spark time={time} unit={times.unit} />}
      {time.unlike.slice(0, 3).map(({ path, times: ratio }) => (
        <p key={path} className={style.unlike} data-testid="outlier">
          <PathButton path={path} reveal={reveal} /> takes {ratio.toFixed(1)}× the median of its copies
        </p>
      ))}
      {time.summed && <p className={style.fine}>The sum of the modules it holds: its own forward is never called, so it has no frames.</p>}
    </Section>
  );
}
