// Fast, Typical and Slow: real requests that stand for the run, with what makes them differ.
import { memo } from "react";
import type { WorkloadReport } from "#schema/api/workloads.ts";
import { formatExact, formatMs } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { ChangeWorkload } from "../../app/url-state.ts";
import style from "./workload-page.module.css";

export const RepresentativesTable = memo(function RepresentativesTable({ representatives, change }: { readonly representatives: WorkloadReport["representatives"]; readonly change: ChangeWorkload }) {
  if (representatives.length === 0) return <p className={style.fine}>No request has a latency, so none stands for the others.</p>;
  const fast = representatives[0]!;
  const tokens = (count: number | null) => (count === null ? "—" : formatExact(count));
  return (
    <table className={style.small} data-testid="representatives">
      <thead>
        <tr>
          <th scope="col">Stands for</th>
          <th scope="col" data-numeric="true">
            Request
          </th>
          <th scope="col" data-numeric="true">
            E2E, ms
          </th>
          <th scope="col" data-numeric="true" title="Times the latency of the fast one">
            ÷ Fast
          </th>
          <th scope="col" data-numeric="true">
            TTFT, ms
          </th>
          <th scope="col" data-numeric="true">
            Input
          </th>
          <th scope="col" data-numeric="true">
            Output
          </th>
        </tr>
      </thead>
      <tbody>
        {representatives.map(({ label, percentile, request, latencyUs, ttftUs, inputTokens, outputTokens }) => (
          <tr key={label}>
            <th scope="row">
              {label} <span className={style.fine}>p{percentile}</span>
            </th>
            <td data-numeric="true">
              <button type="button" className={style.link} title="Select this request" onClick={() => change({ request: String(request) }, true)}>
                {formatExact(request)}
              </button>
            </td>
            <td data-numeric="true">
              <Quantity value={formatMs(latencyUs)} />
            </td>
            <td data-numeric="true">{(latencyUs / fast.latencyUs).toFixed(2)}×</td>
            <td data-numeric="true">{ttftUs === null ? "—" : <Quantity value={formatMs(ttftUs)} />}</td>
            <td data-numeric="true">{tokens(inputTokens)}</td>
            <td data-numeric="true">{tokens(outputTokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});
