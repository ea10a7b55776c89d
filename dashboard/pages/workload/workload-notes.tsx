// What a person must know to trust the figures. The engine's own figures know the names of every engine's metrics, so they are loaded where a run has some.
import { lazy, memo, Suspense } from "react";
import { printable } from "#core/printable.ts";
import type { WorkloadReport } from "#schema/api/workloads.ts";
import style from "./workload-page.module.css";

const EngineAggregates = lazy(async () => ({ default: (await import("./engine-aggregates.tsx")).EngineAggregates }));

export const WorkloadNotes = memo(function WorkloadNotes({ report: { notes, aggregates } }: { readonly report: WorkloadReport }) {
  return (
    <div className={style.pair}>
      {notes.length > 0 && (
        <section className={style.section} aria-label="Notes">
          <h2>Notes</h2>
          <ul className={style.notes} data-testid="notes">
            {notes.map((note) => (
              <li key={note}>{printable(note)}</li>
            ))}
          </ul>
        </section>
      )}
      {aggregates.length > 0 && (
        <section className={style.section} aria-label="Engine aggregates">
          <h2>Engine aggregates</h2>
          <Suspense fallback={<p className={style.fine}>Loading…</p>}>
            <EngineAggregates aggregates={aggregates} />
          </Suspense>
        </section>
      )}
    </div>
  );
});
