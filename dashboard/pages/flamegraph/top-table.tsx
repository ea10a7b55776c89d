// What the time goes to: functions, kernels, modules … of the whole selection, not of the cut tree. A row leads to its frame in the graph; rows that the search
// finds are marked, and the first of them is in sight.
import { useQuery } from "@tanstack/react-query";
import { ArrowDown } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { matches, parseSearch, type Search } from "#core/flamegraph/search.ts";
import { leftLines, rankedThings } from "#core/flamegraph/tables/top-text.ts";
import { printable } from "#core/printable.ts";
import type { FlamegraphTop, TopRow } from "#schema/api/flamegraph-tables.ts";
import type { RankedBy } from "#schema/ranked-by.ts";
import { frameKinds, type ProfileTypeName } from "#schema/frame-kinds.ts";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import type { ChangeSearch, FlamegraphSearch } from "../../app/url-state.ts";
import { formatCount, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { Select } from "../../parts/select.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { frameColours, type DrawnKind } from "./frame-colours.ts";
import { topQuery } from "./flamegraph-query.ts";
import { shortName } from "./label.ts";
import style from "./top-table.module.css";

// GPU time ends in kernels; functions have none of their own there.
const firstBy = (type: ProfileTypeName): RankedBy => (type === "cuda" || type === "cuda_launch" ? "kernel" : "function");

export function TopTable({ profileType, search, change }: { readonly profileType: ProfileTypeName; readonly search: FlamegraphSearch; readonly change: ChangeSearch }) {
  const { tenant } = useSession();
  const by = search.by ?? firstBy(profileType);
  const answer = useQuery(topQuery(tenant, useTimeRange(), search, by));
  return (
    <section className={style.section} aria-label="What the time goes to">
      <div className={style.choice}>
        <Select label="Rows are" value={by} change={(next) => change({ by: next as RankedBy })} testId="top-by">
          {(Object.keys(rankedThings) as RankedBy[]).map((one) => (
            <option key={one} value={one}>
              By {rankedThings[one].head}
            </option>
          ))}
        </Select>
      </div>
      {answer.isPending && <Loading what="the table" rows={12} />}
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {answer.data !== undefined && <Rows answer={answer.data} search={search.search ?? ""} change={change} stale={answer.isPlaceholderData} />}
    </section>
  );
}

function Rows({ answer, search, change, stale }: { readonly answer: FlamegraphTop; readonly search: string; readonly change: ChangeSearch; readonly stale: boolean }) {
  const query = useMemo(() => parseSearch(search), [search]);
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    if (query.terms.length > 0 && answer.rows.length > 0) body.current?.querySelector("[data-match=true]")?.scrollIntoView({ block: "center" });
  }, [query, answer]);
  const columns = [["total", "Total"], ["self", "Self"]] as const;
  return (
    <div className={style.scroll} tabIndex={0} role="region" aria-label="Top table" data-stale={stale}>
      <table className={style.table} data-testid="top-table" data-by={answer.by} data-total={answer.total}>
        <thead>
          <tr>
            <th scope="col">{rankedThings[answer.by].head}</th>
            {columns.map(([sort, label]) => (
              <th key={sort} scope="col" data-numeric="true" aria-sort={answer.sort === sort ? "descending" : "none"}>
                <button type="button" data-testid={`top-sort-${sort}`} onClick={() => change({ sort: sort === "total" ? undefined : sort })}>
                  {label}
                  <ArrowDown size={12} aria-hidden="true" data-sorted={answer.sort === sort} />
                </button>
              </th>
            ))}
            <th scope="col" data-numeric="true">
              Share
            </th>
            <th scope="col" data-numeric="true">
              Calls
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {answer.rows.map((row) => (
            <Row key={row.key} row={row} answer={answer} search={query} change={change} />
          ))}
        </tbody>
      </table>
      <ul className={style.left} data-testid="top-left">
        {leftLines(answer).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

function Row({ row, answer: { by, unit }, search, change }: { readonly row: TopRow; readonly answer: FlamegraphTop; readonly search: Search; readonly change: ChangeSearch }) {
  const name = printable(by === "module" ? row.modulePath || "(the model)" : row.name);
  const short = by === "module" ? name : shortName(row);
  // A category or a class is no frame of its own, and a block is a path.
  const isFrame = by !== "category" && by !== "class" && by !== "layer";
  const beside = by === "module" ? printable(row.moduleClass) : by === "frame" ? printable(row.file || row.modulePath) : by === "function" ? frameKinds[row.kind].label : "";
  const match = search.terms.length > 0 && matches(search, row.name);
  return (
    <tr data-testid="top-row" data-match={match} data-key={row.key} data-value={row.total} data-self={row.self}>
      <th scope="row" title={name}>
        <span className={style.cell}>
          <span className={style.swatch} style={{ background: frameColours[row.kind as DrawnKind] }} />
          {isFrame ? (
            <button type="button" title={`${name}\nShow what calls it`} onClick={() => change({ view: undefined, layers: undefined, hide: undefined, invert: undefined, focus: undefined, frame: row.frame, side: "callers" })}>
              {short}
            </button>
          ) : (
            <span className={style.name}>{short}</span>
          )}
          {match && <span className="visually-hidden">, found by the search</span>}
          {beside !== "" && <span className={style.beside}>{beside}</span>}
        </span>
      </th>
      <td data-numeric="true">
        <Quantity value={formatValue(row.total, unit)} />
      </td>
      <td data-numeric="true">
        <Quantity value={formatValue(row.self, unit)} />
      </td>
      <td data-numeric="true" className={style.share}>
        <span style={{ width: `${Math.min(100, 100 * row.share)}%` }} />
        {formatShare(row.share)}
      </td>
      <td data-numeric="true">
        <Quantity value={formatCount(row.count)} />
      </td>
    </tr>
  );
}
