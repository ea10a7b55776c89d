// A folded module tree as a treegrid: only the rows in sight are elements, all of it goes by keyboard, and what is open and selected is in the URL.
import { ChevronRight } from "lucide-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, type KeyboardEvent } from "react";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import type { FoldedModule } from "#core/trace/fold-modules.ts";
import { treeMove } from "../../parts/tree-move.ts";
import type { TreeColumn } from "./tree-column.ts";
import type { TreeRow } from "./tree-rows.ts";
import style from "./module-treegrid.module.css";

const rowHeight = 28;
const headHeight = 33;
const nameWidth = 300; // CSS px, at least

export type TreegridNode = FoldedModule & { readonly label: string };

export type ModuleTreegridProps<Node extends TreegridNode> = {
  readonly rows: readonly TreeRow<Node>[];
  readonly columns: readonly TreeColumn<Node>[];
  readonly selected: string | undefined; // path
  readonly select: (path: string) => void;
  readonly toggle: (paths: readonly string[]) => void;
  readonly mark?: (node: Node) => string; // beside the name; "" = nothing
};

export function ModuleTreegrid<Node extends TreegridNode>({ rows, columns, selected, select, toggle, mark }: ModuleTreegridProps<Node>) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 10, scrollMargin: headHeight, scrollPaddingStart: headHeight });
  const place = rows.findIndex(({ path }) => path === selected);
  const active = rows[Math.max(0, place)];
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place, { align: "auto" });
    // Only when another row is selected: a tree that is opened or sorted anew stays where it is.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [selected]);
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || active === undefined) return;
    const move = treeMove(rows, active, event.key);
    if (move === undefined) return;
    event.preventDefault();
    if (move.toggle.length > 0) toggle(move.toggle);
    else select(move.select);
  };
  const template = { gridTemplateColumns: `minmax(${nameWidth}px, 1fr) ${columns.map(({ width }) => `${width}px`).join(" ")}`, minWidth: nameWidth + columns.reduce((sum, { width }) => sum + width, 0) };
  return (
    <div
      ref={scroller}
      className={style.grid}
      role="treegrid"
      aria-label="Modules"
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      aria-activedescendant={active === undefined ? undefined : `${id}-${active.at}`}
      onKeyDown={keyDown}
      data-testid="module-treegrid"
      data-rows={rows.length}
    >
      <div role="rowgroup" className={style.head}>
        <div role="row" aria-rowindex={1} className={style.row} style={template}>
          <span role="columnheader">Module</span>
          {columns.map(({ name, label, title }) => (
            <span key={name} role="columnheader" data-numeric="true" title={title}>
              {label}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={style.body} style={{ height: virtual.getTotalSize(), minWidth: template.minWidth }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <Row
              key={row.path}
              id={`${id}-${row.at}`}
              row={row}
              index={index}
              columns={columns}
              style={{ ...template, transform: `translateY(${start - headHeight}px)` }}
              selected={index === place}
              select={() => select(row.path)}
              toggle={() => toggle([row.path])}
              mark={mark?.(row.node) ?? ""}
            />
          );
        })}
      </div>
    </div>
  );
}

type RowProps<Node extends TreegridNode> = {
  readonly id: string;
  readonly row: TreeRow<Node>;
  readonly index: number;
  readonly columns: readonly TreeColumn<Node>[];
  readonly style: { readonly gridTemplateColumns: string; readonly minWidth: number; readonly transform: string };
  readonly selected: boolean;
  readonly select: () => void;
  readonly toggle: () => void;
  readonly mark: string;
};

function Row<Node extends TreegridNode>({ id, row: { node, at, path, level, position, siblings, open }, index, columns, style: place, selected, select, toggle, mark }: RowProps<Node>) {
  const name = printable(node.label);
  return (
    <div
      id={id}
      role="row"
      className={style.row}
      style={place}
      aria-rowindex={index + 2}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={selected}
      {...(open === null ? {} : { "aria-expanded": open })}
      onClick={select}
      data-testid="module-row"
      data-path={path}
    >
      <span role="gridcell" className={style.module} style={{ paddingLeft: 4 + (level - 1) * 16 }}>
        {open === null ? (
          <span className={style.leaf} />
        ) : (
          <button
            type="button"
            tabIndex={-1}
            className={style.twisty}
            data-open={open}
            aria-label={open ? `Close ${name}` : `Open ${name}`}
            onClick={(event) => {
              event.stopPropagation();
              toggle();
            }}
          >
            <ChevronRight size={14} />
          </button>
        )}
        <span className={style.label} title={name}>
          {name}
        </span>
        {node.ownCopies > 1 && (
          <b className={style.repeat} title={`${plural(node.ownCopies, "copy", "copies")} built alike in one row`}>
            ×{node.ownCopies}
          </b>
        )}
        {mark !== "" && (
          <span className={style.mark} title={mark}>
            {mark}
          </span>
        )}
      </span>
      {columns.map(({ name: column, show }) => (
        <span key={column} role="gridcell" data-numeric="true" data-column={column}>
          {show(node, at)}
        </span>
      ))}
    </div>
  );
}
