// A module beside its copies in the other blocks: from the least to the most, and where this one stands.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { printable } from "#core/printable.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import { toApiError } from "../../parts/api-error.ts";
import { formatExact, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { DrawnGraph } from "./drawn-graph.ts";
import { copiesQuery } from "./frame-modules-query.ts";
import { noModuleReason } from "./module-link.tsx";
import { withoutCommon } from "./short-paths.ts";
import style from "./module-pane.module.css";

// `path`: of the copy that is selected; the pattern itself where the drawing has all of them as one.
type CopiesProps = { readonly graph: DrawnGraph; readonly search: FlamegraphSearch; readonly pattern: string; readonly path: string; readonly modelKey: string };

export function ModuleCopies({ graph, search, pattern, path, modelKey }: CopiesProps) {
  const { tenant, me } = useSession();
  const opens = noModuleReason(graph, { inModule: true, modulePath: "", modelKey }, me.flags.models === true) === "";
  const answer = useQuery(copiesQuery(tenant, useTimeRange(), search, pattern));
  if (answer.isError) return <p className={style.note}>{toApiError(answer.error).detail}</p>;
  const groups = answer.data?.groups.filter((group) => group.modelKey === modelKey) ?? [];
  return (
    <section>
      <h3 className={style.sub}>Its copies</h3>
      {answer.isPending && <p className={style.note}>Asking what each takes…</p>}
      {groups.map((group) => {
        const unit = answer.data!.unit;
        const { copies, rows, cut } = group;
        const shortPath = withoutCommon(rows.map((row) => row.modulePath));
        const share = (value: number) => (copies.median > 0 ? `${(value / copies.median).toFixed(2)}×` : "—");
        return (
          <div key={group.moduleClass} data-testid="module-copies" data-copies={copies.n}>
            <p className={style.note}>
              {formatExact(copies.n)} with samples, min {formatValue(copies.min.value, unit).text}, median {formatValue(copies.median, unit).text}, max {formatValue(copies.max.value, unit).text}. Beside each, how many times the median.
            </p>
            <ul className={style.list}>
              {rows.map((row) => (
                <li key={row.modulePath}>
                  <span title={printable(row.modulePath)}>
                    {row.modulePath === path && <span className={style.mark}>parent</span>}
                    {opens ? (
                      <Link to="/t/$tenant/models/$model" params={{ tenant, model: modelKey }} search={((old: Record<string, unknown>) => ({ ...keepRange(old), path: row.modulePath })) as never}>
                        {printable(shortPath(row.modulePath))}
                      </Link>
                    ) : (
                      printable(shortPath(row.modulePath))
                    )}
                  </span>
                  <Quantity value={formatValue(row.total, unit)} />
                  <span>{share(row.total)}</span>
                </li>
              ))}
            </ul>
            {cut.rows > 0 && (
              <p className={style.note}>
                and {formatExact(cut.rows)} more, {formatValue(cut.total, unit).text}
              </p>
            )}
          </div>
        );
      })}
    </section>
  );
}
