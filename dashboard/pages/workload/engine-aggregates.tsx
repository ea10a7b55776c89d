// What the engine itself counted while the run ran: of all its requests together, never of one.
import { aggregateLines } from "#core/workload/aggregate-text.ts";
import type { EngineAggregate } from "#schema/api/workloads.ts";
import style from "./workload-page.module.css";

export function EngineAggregates({ aggregates }: { readonly aggregates: readonly EngineAggregate[] }) {
  const [about = "", ...lines] = aggregateLines(aggregates);
  return (
    <>
      <p className={style.fine}>{about.replace("engine aggregates: ", "Counted by the engine: ")}</p>
      <ul className={style.notes} data-testid="aggregates">
        {lines.map((line) => (
          <li key={line}>{line.trim()}</li>
        ))}
      </ul>
    </>
  );
}
