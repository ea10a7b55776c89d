// A table of any length: only the rows in sight are elements. Every column sorts, the first one stays while the others scroll sideways. For assistive technology it is a
// grid that knows its whole size; the arrow keys move the selected row.
import { ArrowDown, ArrowUp } from "lucide-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useMemo, useRef, type KeyboardEvent } from "react";
import type { TableColumn } from "./table-column.ts";
import { nextTableSort, type TableSort } from "./table-sort.ts";
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
  readonly testId: string;
};

export function VirtualTable({ label, columns, rows, sort, onSort, selected, onSelect, testId }: VirtualTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 8, scrollMargin: headHeight, scrollPaddingStart: headHeight });
  const place = useMemo(() => (selected === null ? -1 : Array.prototype.indexOf.call(rows, selected)), [rows, selected]);
  const shown = virtual.getVirtualItems();
  const before = shown.length === 0 ? 0 : shown[0]!.start - headHeight;
  const after = shown.length === 0 ? 0 : virtual.getTotalSize() - (shown.at(-1)!.end - headHeight);

  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place, { align: "auto" });
    // Only when another row is selected: a table that is sorted anew stays where it is.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [selected]);
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget || rows.length === 0) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const moves: Record<string, number> = { ArrowDown: place + 1, ArrowUp: place < 0 ? rows.length - 1 : place - 1, PageDown: place + page, PageUp: place - page, Home: 0, End: rows.length - 1 };
    const to = moves[event.key];
    if (to === undefined && event.key !== "Escape") return;
    if (to === undefined && selected === null) return;
    event.preventDefault();
    onSelect(to === undefined ? null : rows[Math.min(rows.length - 1, Math.max(0, to))]!);
  };
  const inSight = shown.some(({ index }) => index === place);
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
        aria-activedescendant={place >= 0 && inSight ? `${id}-${place}` : undefined}
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
            {before > 0 && <Gap height={before} columns={columns.length} />}
            {shown.map(({ index }) => (
              <Row key={rows[index]} id={`${id}-${index}`} row={rows[index]!} index={index} columns={columns} selected={index === place} onSelect={onSelect} testId={testId} />
            ))}
            {after > 0 && <Gap height={after} columns={columns.length} />}
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

type RowProps = { readonly id: string; readonly row: number; readonly index: number; readonly selected: boolean } & Pick<VirtualTableProps, "columns" | "onSelect" | "testId">;

function Row({ id, row, index, columns, selected, onSelect, testId }: RowProps) {
  return (
    <tr id={id} role="row" aria-rowindex={index + 2} aria-selected={selected} onClick={() => onSelect(selected ? null : row)} data-testid={`${testId}-row`} data-row={row}>
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
