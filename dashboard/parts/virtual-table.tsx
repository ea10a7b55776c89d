// A table of any length: only the rows in sight are elements. Every column sorts, the first one stays while the others scroll sideways. For assistive technology it is a
// grid that knows its whole size; the arrow keys move the selected row.
import { ArrowDown, ArrowUp } from "lucide-react";
import { useEffect, useId, useMemo, useRef, type KeyboardEvent } from "react";
import type { TableColumn } from "./table-column.ts";
import { nextTableSort, type TableSort } from "./table-sort.ts";
import { useRowsInSight } from "./use-rows-in-sight.ts";
import style from "./virtual-table.module.css";

const rowHeight = 28;
const headHeight = 32;

export type VirtualTableProps = {
  readonly label: string;
  readonly columns: readonly TableColumn[];
  readonly rows: ArrayLike<number>; // in the order shown
  readonly sort: TableSort;
  readonly onSort: (sort: TableSort) => void;
  readonly selected: number | null;
  readonly onSelect: (row: number | null) => void;
  readonly onOpen?: (row: number) => void; // what a click or Enter on a row does instead
  readonly testId: string;
};

export function VirtualTable({ label, columns, rows, sort, onSort, selected, onSelect, onOpen, testId }: VirtualTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const { first, end, onScroll, reveal, perPage } = useRowsInSight(scroller, rows.length, rowHeight, headHeight);
  const place = useMemo(() => (selected === null ? -1 : Array.prototype.indexOf.call(rows, selected)), [rows, selected]);

  useEffect(() => {
    if (place >= 0) reveal(place);
    // Only when another row is selected: a table that is sorted anew stays where it is.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [selected]);
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget || rows.length === 0) return;
    const moves: Record<string, number> = { ArrowDown: place + 1, ArrowUp: place < 0 ? rows.length - 1 : place - 1, PageDown: place + perPage, PageUp: place - perPage, Home: 0, End: rows.length - 1 };
    const to = moves[event.key];
    if (event.key === "Enter" && place >= 0) onOpen?.(rows[place]!);
    if (to === undefined && event.key !== "Escape") return;
    if (to === undefined && selected === null) return;
    event.preventDefault();
    onSelect(to === undefined ? null : rows[Math.min(rows.length - 1, Math.max(0, to))]!);
  };
  const click = (row: number) => (onOpen === undefined ? onSelect(row === selected ? null : row) : onOpen(row));
  const inSight = place >= first && place < end;
  return (
    <div className={style.frame}>
      <div
        ref={scroller}
        className={style.scroll}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={inSight ? `${id}-${place}` : undefined}
        onScroll={onScroll}
        onKeyDown={keyDown}
        data-testid={testId}
        data-rows={rows.length}
      >
        <table className={style.table} role="presentation" style={{ minWidth: columns.reduce((sum, { width }) => sum + width, 0) }}>
          <colgroup>
            {columns.map(({ name, width }) => (
              <col key={name} style={{ width }} />
            ))}
          </colgroup>
          <thead role="rowgroup">
            <tr role="row" aria-rowindex={1}>
              {columns.map((column) => (
                <Heading key={column.name} column={column} sort={sort} onSort={onSort} testId={testId} />
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {first > 0 && <Gap height={first * rowHeight} columns={columns.length} />}
            {Array.from({ length: end - first }, (_, at) => first + at).map((index) => (
              <Row key={rows[index]} id={`${id}-${index}`} row={rows[index]!} index={index} columns={columns} selected={index === place} click={click} testId={testId} />
            ))}
            {end < rows.length && <Gap height={(rows.length - end) * rowHeight} columns={columns.length} />}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Heading({ column, sort, onSort, testId }: { readonly column: TableColumn; readonly testId: string } & Pick<VirtualTableProps, "sort" | "onSort">) {
  const sorted = sort.column === column.name;
  const Arrow = sorted && !sort.descending ? ArrowUp : ArrowDown;
  return (
    <th role="columnheader" scope="col" data-numeric={column.numeric} aria-sort={sorted ? (sort.descending ? "descending" : "ascending") : "none"}>
      <button type="button" title={column.title} onClick={() => onSort(nextTableSort(sort, column))} data-testid={`${testId}-sort-${column.name}`}>
        <span>
          {column.label}
          {column.unit !== undefined && <span className={style.unit}> {column.unit}</span>}
        </span>
        <Arrow size={12} aria-hidden="true" data-sorted={sorted} />
      </button>
    </th>
  );
}

type RowProps = { readonly id: string; readonly row: number; readonly index: number; readonly selected: boolean; readonly click: (row: number) => void } & Pick<VirtualTableProps, "columns" | "testId">;

function Row({ id, row, index, columns, selected, click, testId }: RowProps) {
  return (
    <tr id={id} role="row" aria-rowindex={index + 2} aria-selected={selected} onClick={(event) => {
        if (!(event.target as Element).closest("a, button") && getSelection()?.isCollapsed !== false) click(row);
      }} data-testid={`${testId}-row`} data-row={row}>
      {columns.map(({ name, numeric, show, bar }, at) => {
        const share = bar?.share(row) ?? 0;
        const content = (
          <>
            {bar !== undefined && share > 0 && <span className={style.bar} style={{ width: `${Math.min(100, 100 * share)}%`, background: bar.colour }} />}
            <span className={style.value}>{show(row)}</span>
          </>
        );
        return at === 0 ? (
          <th key={name} role="rowheader" scope="row" data-numeric={numeric}>
            {content}
          </th>
        ) : (
          <td key={name} role="gridcell" data-numeric={numeric}>
            {content}
          </td>
        );
      })}
    </tr>
  );
}

function Gap({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr aria-hidden="true" className={style.gap} style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}
