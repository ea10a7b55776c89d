// Why requests failed: the same error once, with how many had it.
import { memo } from "react";
import { printable, printableLines } from "#core/printable.ts";
import { lastLineOf } from "#core/workload/last-line.ts";
import type { WorkloadReport } from "#schema/api/workloads.ts";
import { formatExact } from "../../parts/number-format.ts";
import style from "./workload-page.module.css";

export const FailuresTable = memo(function FailuresTable({ report: { failures, errors, failed } }: { readonly report: WorkloadReport }) {
  if (failures.length === 0) return <p className={style.fine}>{failed === 0 ? "No request failed." : "The file does not say why requests failed."}</p>;
  return (
    <>
      <table className={style.small} data-testid="failures">
        <thead>
          <tr>
            <th scope="col">Error</th>
            <th scope="col" data-numeric="true">
              Requests
            </th>
          </tr>
        </thead>
        <tbody>
          {failures.map(({ error, requests }) => (
            <tr key={error}>
              <th scope="row" title={printableLines(error)}>
                {printable(lastLineOf(error)) || "failed without a word"}
              </th>
              <td data-numeric="true">{formatExact(requests)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {errors > failures.length && <p className={style.fine}>{formatExact(errors - failures.length)} more errors, each of fewer requests.</p>}
    </>
  );
});
