// What the colours of the Gantt mean, of those that these requests have.
import { segmentKinds, type SegmentKind } from "#core/workload/request-segments.ts";
import type { Requests } from "#core/workload/requests.ts";
import style from "./gantt.module.css";

export function GanttLegend({ requests }: { readonly requests: Requests }) {
  const known = (column: Float64Array) => column.some((value) => !Number.isNaN(value) && value > 0);
  const [queue, prefill] = [known(requests.queueUs), known(requests.prefillUs)];
  const there: Record<SegmentKind, boolean> = { queue, prefill, first: known(requests.ttftUs), decode: known(requests.decodeUs) };
  const words: Record<SegmentKind, string> = { queue: "queue", prefill: "prefill", first: queue || prefill ? "rest of TTFT" : "TTFT (the file does not tell queue from prefill)", decode: "decode" };
  return (
    <ul className={style.legend} aria-label="Colours">
      {segmentKinds.map(
        (kind) =>
          there[kind] && (
            <li key={kind}>
              <i data-kind={kind} />
              {words[kind]}
            </li>
          ),
      )}
      {requests.gaps.spikes.request.length > 0 && (
        <li title="Gaps between tokens in the slowest hundredth of the run, and at least twice its median">
          <i data-kind="spike" />a gap that stands out
        </li>
      )}
      {requests.failed.includes(1) && (
        <li>
          <i data-kind="failed">×</i>failed
        </li>
      )}
    </ul>
  );
}
