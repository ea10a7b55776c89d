// One row of the module list: what a box of the graph says, in columns.
import { ChevronRight } from "lucide-react";
import { printable } from "#core/printable.ts";
import { roleOfClass } from "#core/shape/role.ts";
import { formatBytes, formatCount, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { GraphTimes } from "./graph/module-graph.tsx";
import type { ModuleNode } from "./module-nodes.ts";
import type { ModuleTime } from "./module-times.ts";
import { RoleMark } from "./role-mark.tsx";
import style from "./module-tree.module.css";

export function rowId(node: ModuleNode): string {
  return `module-${node.path}`;
}

export type ModuleRowProps = {
  readonly times: GraphTimes | null;
  readonly menu: (path: string, at: { readonly x: number; readonly y: number }) => void;
  readonly at: number;
  readonly node: ModuleNode;
  readonly selected: boolean;
  readonly matches: number;
  readonly time: ModuleTime | undefined;
  readonly select: () => void;
  readonly toggle: () => void;
};

export function ModuleRow({ at, node, selected, matches, time, times, select, toggle, menu }: ModuleRowProps) {
  return (
    <tr
      id={rowId(node)}
      role="row"
      aria-rowindex={at + 2}
      aria-level={node.level}
      aria-posinset={node.position}
      aria-setsize={node.siblings}
      aria-selected={selected}
      {...(node.open === null ? {} : { "aria-expanded": node.open })}
      onClick={select}
      onContextMenu={(event) => {
        event.preventDefault();
        menu(node.path, { x: event.clientX, y: event.clientY });
      }}
      data-testid="module-row"
      data-path={node.path}
      data-repeat={node.repeat}
      data-matches={matches > 0}
    >
      <td role="gridcell" style={{ paddingLeft: 8 + (node.level - 1) * 18 }}>
        <span className={style.module}>
          {node.open === null ? (
            <span className={style.leaf} />
          ) : (
            <button
              type="button"
              tabIndex={-1}
              className={style.twisty}
              data-open={node.open}
              aria-label={node.open ? `Close ${printable(node.label)}` : `Open ${printable(node.label)}`}
              onClick={(event) => {
                event.stopPropagation();
                toggle();
              }}
            >
              <ChevronRight size={14} />
            </button>
          )}
          <span className={style.label}>{printable(node.label)}</span>
          {node.shares !== "" && (
            <span className={style.shares} title={printable(node.shares)}>
              {printable(node.shares)}
            </span>
          )}
        </span>
      </td>
      <td role="gridcell">
        <span className={style.class}>
          <RoleMark role={roleOfClass(node.className)} />
          {printable(node.className)}
          {node.repeat > 1 && <b className={style.repeat}>×{node.repeat}</b>}
        </span>
      </td>
      <td role="gridcell" data-numeric="true">
        {node.parameters === 0 ? "—" : <Quantity value={formatCount(node.parameters)} />}
        {node.repeat > 1 && node.parameters > 0 && <span className={style.each}> each</span>}
      </td>
      <td role="gridcell" data-numeric="true">
        {node.weightBytes === 0 ? "—" : <Quantity value={formatBytes(node.weightBytes)} />}
      </td>
      <td role="gridcell" data-numeric="true">
        {node.submodules === 0 ? "—" : <Quantity value={formatCount(node.submodules)} />}
      </td>
      <td role="gridcell" className={style.dtypes}>
        {printable(node.dtypes.join(", "))}
      </td>
      {times !== null && (
        <>
          <td role="gridcell" data-numeric="true">
            {time === undefined ? "—" : <Quantity value={formatValue(time.total, times.unit)} />}
          </td>
          <td role="gridcell" data-numeric="true">
            {time === undefined ? "—" : formatShare(times.whole === 0 ? 0 : time.total / times.whole)}
          </td>
        </>
      )}
    </tr>
  );
}
