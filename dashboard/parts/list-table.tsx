// A table of things that open, for lists of some hundred rows: a real <table> whose columns sort and whose first one stays while the others scroll sideways.
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import style from "./list-table.module.css";

export type ListColumn<Name extends string> = { readonly name: Name; readonly label: string; readonly numeric: boolean };
export type ListTableProps<Name extends string> = {
  readonly label: string;
  readonly columns: readonly ListColumn<Name>[];
  readonly sort: { readonly column: Name; readonly descending: boolean };
  readonly onSort: (column: Name) => void;
  readonly stale?: boolean; // of the sort or selection before, until the answer comes
  readonly dense?: boolean;
  readonly testId: string; // "models": models-table, models-sort-name
  readonly children: ReactNode;
};

export function ListTable<Name extends string>({ label, columns, sort, onSort, stale = false, dense = false, testId, children }: ListTableProps<Name>) {
  return (
    <div className={style.scroll} tabIndex={0} role="region" aria-label={label} data-stale={stale}>
      <table className={style.table} data-dense={dense} data-testid={`${testId}-table`}>
        <thead>
          <tr>
            {columns.map((column) => {
              const sorted = sort.column === column.name;
              const Arrow = sorted && !sort.descending ? ArrowUp : ArrowDown;
              return (
                <th key={column.name} scope="col" data-numeric={column.numeric} aria-sort={sorted ? (sort.descending ? "descending" : "ascending") : "none"}>
                  <button type="button" onClick={() => onSort(column.name)} data-testid={`${testId}-sort-${column.name}`}>
                    {column.label}
                    <Arrow size={12} aria-hidden="true" data-sorted={sorted} />
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
