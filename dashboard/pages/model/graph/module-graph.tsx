// The module graph: nested boxes in one transformed world, drawn by ourselves. What is open, selected and lit comes from outside; the camera is its own.
// To embed it: shape facts, the rows to show (module-nodes.ts) and what to do on a click; embedded-graph.tsx does all of it for one module.
import { useEffect, useMemo, useRef, type KeyboardEvent, type MouseEvent } from "react";
import type { ModuleRole } from "#core/shape/role.ts";
import { roleOfClass } from "#core/shape/role.ts";
import type { Unit } from "../../../parts/number-format.ts";
import type { DrawnLink } from "../alias-links.ts";
import type { ModuleNode } from "../module-nodes.ts";
import type { ModuleTime } from "../module-times.ts";
import type { RoleCounts } from "./role-counts.ts";
import { treeMove } from "../../../parts/tree-move.ts";
import { layoutBoxes } from "./box-layout.ts";
import { boxesIn, cameraText } from "./camera.ts";
import { LinkLines } from "./link-lines.tsx";
import { boxId, isSparked, ModuleBox } from "./module-box.tsx";
import { itemId, ModuleItem } from "./module-item.tsx";
import { Pills } from "./pills.tsx";
import { useCamera } from "./use-camera.ts";
import { useFollow } from "./use-follow.ts";
import { useGraphPointer } from "./use-graph-pointer.ts";
import style from "./module-graph.module.css";

export type GraphTimes = { readonly byPath: ReadonlyMap<string, ModuleTime>; readonly whole: number; readonly unit: Unit };

export type ModuleGraphProps = {
  readonly nodes: readonly ModuleNode[];
  readonly label: string;
  readonly selected: string | undefined; // path of a row
  readonly mark?: string; // what the selected box is marked as
  readonly times: GraphTimes | null;
  readonly role?: ModuleRole | null; // in the spotlight
  readonly counts: RoleCounts;
  readonly matches?: ReadonlyMap<string, number>; // by path of a row: modules in it that match the search
  readonly links?: readonly DrawnLink[];
  readonly camera?: string | undefined; // as cameraText writes it; absent: the graph is fitted to the view
  readonly moved?: (camera: string) => void;
  readonly select: (path: string | undefined) => void;
  readonly toggle: (paths: readonly string[]) => void;
  readonly expandAll?: () => void;
  readonly reset?: () => void;
  readonly menu?: (path: string, at: { readonly x: number; readonly y: number }) => void;
  readonly keyPressed?: (event: KeyboardEvent, node: ModuleNode) => boolean; // true: it has been taken care of
};

const zoomStep = 1.25;
const settledMs = 300; // after a move the camera goes to the URL
const none = new Map<string, number>();

export function ModuleGraph(props: ModuleGraphProps) {
  const { nodes, selected, times, role = null, counts, matches = none, links = [], toggle, select, menu } = props;
  const view = useRef<HTMLDivElement>(null);
  const world = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => layoutBoxes(nodes, (node) => isSparked(node, times?.byPath.get(node.path))), [nodes, times]);
  const rows = useMemo(() => new Map(nodes.map((node, at) => [node.path, at])), [nodes]);
  const timer = useRef(0);
  const moved = props.moved;
  const camera = useCamera(view, world, layout, (now, size) => {
    if (moved === undefined) return;
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => moved(cameraText(now, size)), settledMs);
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  const follow = useFollow(camera, { layout, rows }, selected, props.camera);
  const selectedAt = selected === undefined ? undefined : rows.get(selected);
  const open = (paths: readonly string[]) => {
    follow.opening(paths[0]);
    toggle(paths);
  };
  const openMenu = (path: string) => {
    const box = document.getElementById(boxId(path))?.getBoundingClientRect();
    if (box !== undefined) menu?.(path, { x: Math.max(box.left, 0) + 12, y: box.top + 28 });
  };
  const pointer = useGraphPointer(view, camera, (element) => {
    const path = pathAt(element);
    const action = element.closest("[data-action]")?.getAttribute("data-action");
    if (path === undefined) {
      if (element.closest("[data-pills]") === null) select(undefined);
    } else if (action === "toggle") open([path]);
    else if (action === "menu") openMenu(path);
    else select(path);
  });

  const zoom = (steps: number) => camera.zoom(zoomStep ** steps);
  const resetView = () => {
    clearTimeout(timer.current);
    follow.resetting();
    props.reset?.();
  };

  const active = (selected === undefined ? undefined : nodes[selectedAt ?? 0]) ?? nodes[0]!;
  const keyDown = (event: KeyboardEvent) => {
    if (props.keyPressed?.(event, active) === true) return event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
      event.preventDefault();
      return openMenu(active.path);
    }
    const control: Record<string, () => void> = {
      "+": () => zoom(1), "=": () => zoom(1), "-": () => zoom(-1), "0": () => camera.fit(0), f: () => camera.fit(rows.get(active.path) ?? 0),
      e: () => props.expandAll?.(), r: resetView,
    };
    const run = control[event.key];
    const move = run === undefined ? treeMove(nodes, active, event.key) : undefined;
    if (run === undefined && move === undefined) return;
    event.preventDefault();
    run?.();
    if (move === undefined) return;
    if (move.toggle.length > 0) open(move.toggle);
    else select(selected === undefined && event.key === "ArrowDown" ? active.path : move.select);
  };
  const visible = boxesIn(layout, camera.shown.rect);
  const activeAt = rows.get(active.path) ?? 0;
  const shareOf = ({ path }: ModuleNode) => {
    const time = times?.byPath.get(path);
    return time === undefined || times === null || times.whole === 0 ? null : time.total / times.whole;
  };
  return (
    <div
      ref={view}
      className={style.view}
      {...pointer}
      onDoubleClick={(event: MouseEvent) => {
        const path = pathAt(event.target as Element);
        const node = path === undefined ? undefined : nodes[rows.get(path) ?? -1];
        if (node !== undefined && node.open !== null && (event.target as Element).closest("[data-action]") === null) open([node.path]);
      }}
      onContextMenu={(event: MouseEvent) => {
        const path = pathAt(event.target as Element);
        if (path === undefined || menu === undefined) return;
        event.preventDefault();
        menu(path, { x: event.clientX, y: event.clientY });
      }}
    >
      <div
        className={style.tree}
        role="tree"
        aria-label={props.label}
        tabIndex={0}
        aria-activedescendant={itemId}
        onKeyDown={keyDown}
        data-testid="module-graph"
        data-boxes={visible.length}
        data-rows={nodes.length}
      >
        <ModuleItem node={active} selected={active === nodes[selectedAt ?? -1]} share={shareOf(active)} more={[props.mark ?? "", role === null || active.open !== false ? "" : `${counts.hidden(active.row, role) * active.repeat} ${role} in here`]} />
        <div ref={world} className={style.world} aria-hidden="true" data-detail={camera.shown.detail}>
          {visible.map((at) => {
            const node = nodes[at]!;
            const hidden = role === null || node.open !== false ? 0 : counts.hidden(node.row, role) * node.repeat;
            const matching = matches.get(node.path) ?? 0;
            return (
              <ModuleBox
                key={node.path}
                node={node}
                x={layout.x[at]!}
                y={layout.y[at]!}
                width={layout.width[at]!}
                height={layout.height[at]!}
                selected={at === selectedAt}
                active={at === activeAt}
                mark={at === selectedAt ? (props.mark ?? "") : ""}
                dim={role !== null && node.open !== true && hidden === 0 && roleOfClass(node.className) !== role}
                hidden={hidden}
                role={role}
                matches={matching}
                time={times?.byPath.get(node.path)}
                whole={times?.whole ?? 0}
                unit={times?.unit ?? "ns"}
                menu={menu !== undefined}
              />
            );
          })}
          <LinkLines links={links} layout={layout} rows={rows} />
        </div>
      </div>
      <Pills zoom={zoom} fit={() => camera.fit(0)} expandAll={props.expandAll} reset={props.reset === undefined ? undefined : resetView} />
    </div>
  );
}

function pathAt(element: Element): string | undefined {
  return element.closest("[data-testid=module-box]")?.getAttribute("data-path") ?? undefined;
}
