// A run and its requests. What is shown follows from the URL; figures of some requests are computed here by the same code as those of all.
import { useCallback, useMemo, useState } from "react";
import type { WorkloadReport } from "#schema/api/workloads.ts";
import { queueThreshold } from "#core/workload/queue-threshold.ts";
import { representativesOf } from "#core/workload/representatives.ts";
import type { Requests } from "#core/workload/requests.ts";
import { selectRequests } from "#core/workload/select-requests.ts";
import type { ChangeWorkload, WorkloadSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { chosenRequests, parseBrush, parseTokenRange } from "./chosen-requests.ts";
import { durationOf, figuresOf } from "./figures-of.ts";
import { FailuresTable } from "./failures-table.tsx";
import { FilterRow } from "./filter-row.tsx";
import { Gantt } from "./gantt.tsx";
import { GoodputPanel } from "./goodput-panel.tsx";
import { HeadlineFigures } from "./headline-figures.tsx";
import { PercentileTable } from "./percentile-table.tsx";
import { QueueStrip } from "./queue-strip.tsx";
import { RepresentativesTable } from "./representatives-table.tsx";
import { RequestsTable } from "./requests-table.tsx";
import { Scatter } from "./scatter.tsx";
import { SelectedRequest } from "./selected-request.tsx";
import type { Selection } from "./selection.ts";
import { WorkloadNotes } from "./workload-notes.tsx";
import style from "./workload-page.module.css";

type ViewProps = { readonly report: WorkloadReport; readonly requests: Requests; readonly search: WorkloadSearch; readonly change: ChangeWorkload };

export function WorkloadView({ report, requests, search, change }: ViewProps) {
  const brush = useMemo(() => parseBrush(search.brush), [search.brush]);
  const range = useMemo(() => parseTokenRange(search.input), [search.input]);
  const rows = useMemo(() => chosenRequests(requests, range, brush), [requests, range, brush]);
  const filtered = range !== null || brush !== null;
  const some = useMemo(() => (filtered ? selectRequests(requests, rows) : requests), [requests, rows, filtered]);
  const figures = useMemo(() => figuresOf(report, filtered ? some : null), [report, some, filtered]);
  const representatives = useMemo(() => {
    if (!filtered) return report.representatives;
    const known = (value: number) => (Number.isNaN(value) ? null : value);
    return representativesOf(some).map((one) => ({ ...one, request: rows[one.request]!, ttftUs: known(one.ttftUs), inputTokens: known(one.inputTokens), outputTokens: known(one.outputTokens) }));
  }, [report, some, rows, filtered]);
  const asked = Number(search.request ?? NaN);
  const selected = asked < requests.n ? asked : null;
  const selection = useMemo<Selection>(() => ({ requests, rows, some, selected, change }), [requests, rows, some, selected, change]);
  const usualUs = useMemo(() => queueThreshold(requests.queueUs), [requests]);
  const [movedUs, setMovedUs] = useState<number | null>(null); // while the line is dragged
  const thresholdUs = movedUs ?? (search.queue === undefined ? (usualUs ?? NaN) : Number(search.queue) * 1_000);
  const settle = useCallback(
    (us: number) => {
      setMovedUs(null);
      change({ queue: String(Number((us / 1_000).toFixed(4))) }, true);
    },
    [change],
  );
  const reset = useCallback(() => change({ queue: undefined }, true), [change]);
  const log = search.log === "1";
  return (
    <div className={style.view}>
      <HeadlineFigures figures={figures} />
      <div className={style.figures} data-alone={requests.n === 0}>
        <section className={style.section} aria-label="Times">
          <h2>Times</h2>
          <PercentileTable figures={figures} latencyEstimated={report.latencyEstimated} gapsLeftOut={filtered && requests.gaps.count.some((count) => count > 0)} />
        </section>
        {requests.n > 0 && <GoodputPanel requests={some} durationS={durationOf(report)} ttft={search.ttft} tpot={search.tpot} e2e={search.e2e} change={change} />}
      </div>
      {requests.n > 0 && (
        <>
          <div className={style.sticky}>
            <FilterRow shown={rows.length} of={requests.n} search={search} change={change} />
            <SelectedRequest selection={selection} />
          </div>
          <section className={style.section} aria-label="Scatters">
            <div className={style.scatterBar}>
              {usualUs === undefined ? (
                <span className={style.fine}>The file gives no queue times, so all points have one colour.</span>
              ) : (
                <QueueStrip
                  selection={selection}
                  thresholdUs={thresholdUs}
                  moved={search.queue !== undefined}
                  move={setMovedUs}
                  settle={settle}
                  reset={reset}
                />
              )}
              <span className={style.gap} />
              <button type="button" className={control.button} aria-pressed={log} onClick={() => change({ log: log ? undefined : "1" }, true)} data-testid="log-axes">
                Log axes
              </button>
            </div>
            <div className={style.scatters}>
              <Scatter name="ttft" log={log} thresholdUs={thresholdUs} selection={selection} brush={brush} />
              <Scatter name="decode" log={log} thresholdUs={thresholdUs} selection={selection} brush={brush} />
            </div>
          </section>
          <Gantt selection={selection} order={search.order === "latency" ? "latency" : "start"} time={search.time} />
          <RequestsTable selection={selection} sort={search.sort} hide={search.hide} name={report.name} ttft={search.ttft} tpot={search.tpot} e2e={search.e2e} />
          <div className={style.pair}>
            <section className={style.section} aria-label="Requests that stand for the run">
              <h2>Requests that stand for {filtered ? "those shown" : "the run"}</h2>
              <RepresentativesTable representatives={representatives} change={change} />
            </section>
            <section className={style.section} aria-label="Failures">
              <h2>Failures{filtered && " of the whole run"}</h2>
              <FailuresTable report={report} />
            </section>
          </div>
        </>
      )}
      <WorkloadNotes report={report} />
    </div>
  );
}
