// The module tree as a treegrid: one row a module, folded siblings in one row, all of it by keyboard. The twin of the graph for readers of tables and screens.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent } from "react";
import { treeMove } from "../../parts/tree-move.ts";
import type { GraphTimes } from "./graph/module-graph.tsx";
import type { ModuleNode } from "./module-nodes.ts";
import { ModuleRow, rowId } from "./module-row.tsx";
import style from "./module-tree.module.css";

const rowHeight = 28;

export type ModuleTreeProps = {
  readonly nodes: readonly ModuleNode[];
  readonly selected: string | undefined; // path of a row
  readonly times: GraphTimes | null;
  readonly matches: ReadonlyMap<string, number>;
  readonly select: (path: string | undefined) => void;
  readonly toggle: (paths: readonly string[]) => void;
  readonly menu: (path: string, at: { readonly x: number; readonly y: number }) => void;
  readonly keyPressed: (event: KeyboardEvent, node: ModuleNode) => boolean;
};

export function ModuleTree({ nodes, selected, times, matches, select, toggle, menu, keyPressed }: ModuleTreeProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const selectedAt = selected === undefined ? -1 : nodes.findIndex((node) => node.path === selected);
  const activeAt = Math.max(0, selectedAt);
  const active = nodes[activeAt]!;
  const rows = useVirtualizer({ count: nodes.length, getScrollElement: () => scroll.current, estimateSize: () => rowHeight, overscan: 20, initialRect: { width: 0, height: 900 } });
  const shown = rows.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const end = (shown.at(-1)?.index ?? -1) + 1;
  useEffect(() => {
    if (selectedAt >= 0) rows.scrollToIndex(selectedAt);
    // Only when another row is selected: what is opened above it does not move the table.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [selectedAt]);
  const keyDown = (event: KeyboardEvent) => {
    if (keyPressed(event, active)) return event.preventDefault();
    if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
      const box = document.getElementById(rowId(active))?.getBoundingClientRect();
      event.preventDefault();
      if (box !== undefined) menu(active.path, { x: box.left + 60, y: box.bottom });
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(nodes, active, event.key);
    if (move === undefined) return;
    event.preventDefault();
    if (move.toggle.length > 0) toggle(move.toggle);
    else select(selectedAt < 0 && event.key === "ArrowDown" && activeAt === 0 && nodes.length === 1 ? active.path : move.select);
  };
  const rowOf = (at: number) => {
    const node = nodes[at]!;
    return (
      <ModuleRow
        key={node.path}
        at={at}
        node={node}
        selected={at === selectedAt}
        matches={matches.get(node.path) ?? 0}
        time={times?.byPath.get(node.path)}
        times={times}
        select={() => select(node.path)}
        toggle={() => toggle([node.path])}
        menu={menu}
      />
    );
  };
  const spacer = (height: number) => height > 0 && <tr aria-hidden="true" style={{ height }} />;
  return (
    <div className={style.scroll} ref={scroll}>
      <table
        className={style.tree}
        role="treegrid"
        aria-label="Module tree"
        aria-rowcount={nodes.length + 1}
        tabIndex={0}
        aria-activedescendant={rowId(active)}
        onKeyDown={keyDown}
        data-testid="module-tree"
      >
        <thead>
          <tr>
            <th scope="col">Module</th>
            <th scope="col">Class</th>
            <th scope="col" data-numeric="true">
              Parameters
            </th>
            <th scope="col" data-numeric="true">
              Weights
            </th>
            <th scope="col" data-numeric="true">
              Submodules
            </th>
            <th scope="col">Dtypes</th>
            {times !== null && (
              <>
                <th scope="col" data-numeric="true">
                  Time
                </th>
                <th scope="col" data-numeric="true">
                  Share
                </th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {activeAt < first && rowOf(activeAt)}
          {spacer((first - (activeAt < first ? 1 : 0)) * rowHeight)}
          {shown.map(({ index }) => rowOf(index))}
          {spacer((nodes.length - end - (activeAt >= end ? 1 : 0)) * rowHeight)}
          {activeAt >= end && rowOf(activeAt)}
        </tbody>
      </table>
    </div>
  );
}
