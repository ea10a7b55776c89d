// A small table of what differs: A, B, the difference with its sign, in percent, and what else a table has to say.
import type { ReactNode } from "react";
import { printable } from "#core/printable.ts";
import { relativeText } from "#core/trace/change-text.ts";
import type { ComparedRow } from "#core/trace/comparison-rows.ts";
import { formatCount, formatValue, type Unit } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { SignedValue } from "./signed-value.tsx";
import style from "./compare-view.module.css";

export type ComparedTableProps<Row extends ComparedRow> = {
  readonly title: string;
  readonly head: string; // of the first column
  readonly rows: readonly Row[];
  readonly unit: Unit;
  readonly extra?: readonly (readonly [head: string, show: (row: Row) => ReactNode])[];
  readonly testId: string;
};

export function ComparedTable<Row extends ComparedRow>({ title, head, rows, unit, extra = [], testId }: ComparedTableProps<Row>) {
  return (
    <section className={style.section}>
      <h2>{title}</h2>
      <table className={style.table} data-testid={testId}>
        <thead>
          <tr>
            <th scope="col">{head === "" ? <span className="visually-hidden">Figure</span> : head}</th>
            {["A", "B", "B − A", "in percent", ...extra.map(([name]) => name)].map((name) => (
              <th key={name} scope="col" data-numeric="true">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} data-name={row.name}>
              <th scope="row">{printable(row.name)}</th>
              <td data-numeric="true">{valueOr(row.a, unit)}</td>
              <td data-numeric="true">{valueOr(row.b, unit)}</td>
              <td data-numeric="true">{row.difference === null ? "—" : <SignedValue value={Math.round(row.difference)} unit={unit} />}</td>
              <td data-numeric="true">{row.difference === null ? "—" : relativeText(row.relative, row.difference)}</td>
              {extra.map(([name, show]) => (
                <td key={name} data-numeric="true">
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function valueOr(value: number | null, unit: Unit): ReactNode {
  return value === null ? "—" : <Quantity value={formatValue(Math.round(value), unit)} />;
}

export function countOr(count: number): ReactNode {
  return <Quantity value={formatCount(count)} />;
}
