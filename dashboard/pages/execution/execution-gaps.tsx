// What lies in no module and why, what the file could have held and does not with the remedy, and every repair and doubt of the import. Closed it says how much there is.
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import type { GapReason } from "#core/trace/execution.ts";
import { gapAdvice } from "#core/trace/gap-advice.ts";
import { runMode } from "#core/trace/run-mode.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { formatShare, formatValue } from "../../parts/number-format.ts";
import style from "./execution-page.module.css";

export function ExecutionGaps({ record }: { readonly record: ExecutionRecord }) {
  const { gaps, missing, notes, totals, profileType, modulesLeftOut, kernelsLeftOut, operationsLeftOut, modules } = record;
  const { unit } = profileTypes[profileType];
  const share = (value: number) => (totals.value === 0 ? 0 : value / totals.value);
  const without = gaps.reduce((sum, { value }) => sum + value, 0);
  const left = [
    [modulesLeftOut, "module", "modules"], [operationsLeftOut, "operator", "operators"], [kernelsLeftOut, "kernel", "kernels"],
  ] as const;
  const cut = left.filter(([count]) => count > 0).map(([count, one, many]) => `${plural(count, `short ${one} has`, `short ${many} have`)} no room in the record; the flamegraph has all of them`);
  const remarks = [...cut, ...notes];
  return (
    <details className={style.notes} data-testid="execution-gaps">
      <summary>
        <span data-testid="without-layer">{modules.parent.length === 0 ? "No modules in this file" : `${formatShare(share(without))} without a layer`}</span>
        {missing.length > 0 && <span>{plural(missing.length, "thing is missing", "things are missing")} in the file</span>}
        {remarks.length > 0 && <span>{plural(remarks.length, "note", "notes")}</span>}
      </summary>
      <div>
        {gaps.length > 0 && (
          <section>
            <h2>In no module</h2>
            <ul>
              {gaps.map(({ reason, value }) => (
                <li key={reason}>
                  <b>
                    {formatShare(share(value))} · {formatValue(value, unit).text} · {printable(reason)}
                  </b>
                  {Object.hasOwn(gapAdvice, reason) && `: ${gapAdvice[reason as GapReason]}`}
                </li>
              ))}
            </ul>
          </section>
        )}
        {missing.length > 0 && (
          <section>
            <h2>Missing in the file, and how to have it next time</h2>
            <ul>
              {missing.map(({ what, disables, remedy }) => (
                <li key={what}>
                  <b>{printable(what)}</b>: {printable(disables)}. {printable(remedy)}.
                </li>
              ))}
            </ul>
          </section>
        )}
        <section>
          <h2>How it ran</h2>
          <ul>
            {runMode(record).evidence.map((line) => (
              <li key={line}>{line}.</li>
            ))}
          </ul>
        </section>
        {remarks.length > 0 && (
          <section>
            <h2>Notes of the import</h2>
            <ul>
              {remarks.map((note) => (
                <li key={note}>{printable(note)}.</li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </details>
  );
}
