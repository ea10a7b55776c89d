// Module by module what differs, equal ones of all layers in one row; sorted by any column.
import { useMemo } from "react";
import { printable } from "#core/printable.ts";
import { relativeText } from "#core/trace/change-text.ts";
import type { ModuleRow } from "#core/trace/comparison-rows.ts";
import type { ExecutionComparison } from "#schema/api/execution-comparison.ts";
import type { Unit } from "../../parts/number-format.ts";
import type { TableColumn } from "../../parts/table-column.ts";
import { parseTableSort, printTableSort, sortRows, type TableSort } from "../../parts/table-sort.ts";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { valueOr } from "./compared-table.tsx";
import { SignedValue } from "./signed-value.tsx";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./compare-view.module.css";

const firstSort: TableSort = { column: "most", descending: true };
const sides = { both: "both", a: "only in A", b: "only in B" } as const;

export function ComparedModules({ rows, unit, basis }: { readonly rows: readonly ModuleRow[]; readonly unit: Unit; readonly basis: ExecutionComparison["basis"] }) {
  const [search, change] = useExecutionSearch();
  const columns = useMemo(() => columnsOf(rows, unit, basis), [rows, unit, basis]);
  const sort = parseTableSort(search.sort, columns, firstSort);
  const order = useMemo(() => sortRows(rows.map((_, row) => row), columns.find(({ name }) => name === sort.column)!, sort.descending), [rows, columns, sort.column, sort.descending]);
  const selected = search.kernel === undefined ? null : Number(search.kernel);
  return (
    <section className={style.modules}>
      <h2>By module</h2>
      {rows.length === 0 ? (
        <p className={style.none}>Neither execution has modules.</p>
      ) : (
        <VirtualTable label="Differences by module" columns={columns} rows={order} sort={sort} onSort={(next) => change({ sort: printTableSort(next, firstSort) })} selected={selected} onSelect={(row) => change({ kernel: row === null ? undefined : String(row) })} testId="compared-modules" />
      )}
    </section>
  );
}

function columnsOf(rows: readonly ModuleRow[], unit: Unit, basis: ExecutionComparison["basis"]): TableColumn[] {
  const of = (row: number) => rows[row]!;
  const per = basis === "total" ? "of all calls" : "per call of the root";
  const number = (name: string, label: string, title: string, width: number, value: (one: ModuleRow) => number | null, show: (one: ModuleRow) => React.ReactNode): TableColumn => ({ name, label, title, width, numeric: true, firstDescending: true, value: (row) => value(of(row)), show: (row) => show(of(row)) });
  return [
    { name: "module", label: "Module", width: 320, numeric: false, firstDescending: false, value: (row) => of(row).name, show: (row) => <ModuleName row={of(row)} /> },
    { name: "in", label: "In", width: 90, numeric: false, firstDescending: false, value: (row) => sides[of(row).in], show: (row) => sides[of(row).in] },
    number("a", "A", `Time in A, ${per}`, 96, ({ a }) => a, ({ a }) => valueOr(a, unit)),
    number("b", "B", `Time in B, ${per}`, 96, ({ b }) => b, ({ b }) => valueOr(b, unit)),
    number("most", "B − A", "The difference; sorted by its size, whatever its sign", 110, ({ difference }) => Math.abs(difference!), ({ difference }) => <SignedValue value={Math.round(difference!)} unit={unit} />),
    number("relative", "in percent", "The difference by what A has", 96, ({ relative }) => relative, ({ relative, difference }) => relativeText(relative, difference!)),
    number("own", "its own", "Of the difference what lies in no module it calls", 110, ({ own }) => own, ({ own }) => <SignedValue value={Math.round(own)} unit={unit} />),
    number("call-a", "a call A", "One call in A: the median of the copies' medians", 96, ({ callA }) => callA, ({ callA }) => valueOr(callA, "ns")),
    number("call-b", "a call B", "One call in B: the median of the copies' medians", 96, ({ callB }) => callB, ({ callB }) => valueOr(callB, "ns")),
  ];
}

function ModuleName({ row: { name, copies, class: className } }: { readonly row: ModuleRow }) {
  return (
    <span className={style.name} title={printable(`${name}\n${className}`)}>
      <code>{printable(name)}</code>
      {copies > 1 && <b>×{copies}</b>}
    </span>
  );
}
