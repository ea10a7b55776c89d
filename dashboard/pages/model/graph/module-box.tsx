// One box of the graph, for the eye and the pointer (module-item.tsx is for the ear): the module's name, class, parameters and dtypes, its copies, and the time it took. What it says less when it is small is in the style.
import { ChevronRight, Ellipsis, Link2 } from "lucide-react";
import { memo } from "react";
import { printable } from "#core/printable.ts";
import { roleOfClass, type ModuleRole } from "#core/shape/role.ts";
import { formatBytes, formatCount, formatExact, formatShare, formatValue, type Unit } from "../../../parts/number-format.ts";
import { Quantity } from "../../../parts/quantity.tsx";
import { attributeName } from "#core/module-path.ts";
import type { ModuleNode } from "../module-nodes.ts";
import type { ModuleTime } from "../module-times.ts";
import { RoleMark } from "../role-mark.tsx";
import { Spark } from "./spark.tsx";
import style from "./module-graph.module.css";

export type BoxProps = {
  readonly node: ModuleNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly selected: boolean;
  readonly active: boolean; // where the keyboard is
  readonly mark: string; // "parent", or ""
  readonly dim: boolean;
  readonly hidden: number; // modules of the role in the spotlight that the closed section hides
  readonly role: ModuleRole | null; // in the spotlight
  readonly matches: number; // of the search: in the box or hidden by it
  readonly time: ModuleTime | undefined;
  readonly whole: number;
  readonly unit: Unit;
  readonly menu: boolean;
};

export const ModuleBox = memo(function ModuleBox({ node, x, y, width, height, selected, active, mark, dim, hidden, role, matches, time, whole, unit, menu }: BoxProps) {
  const own = roleOfClass(node.className);
  const share = time === undefined || whole === 0 ? null : time.total / whole;
  return (
    <div
      id={boxId(node.path)}
      className={style.box}
      style={{ transform: `translate(${x}px, ${y}px)`, width, height }}
      data-path={node.path}
      data-repeat={node.repeat}
      data-role={own}
      data-open={node.open ?? "leaf"}
      data-active={active}
      data-selected={selected}
      data-dim={dim}
      data-lit={role === own}
      data-matches={matches > 0}
      data-alias={node.shares !== ""}
      data-mark={mark}
      data-testid="module-box"
    >
      <span className={style.first}>
        {node.open === null ? (
          <RoleMark role={own} />
        ) : (
          <button type="button" tabIndex={-1} className={style.twisty} data-action="toggle" data-open={node.open} title={node.open ? "Close (←)" : "Open (→)"}>
            <ChevronRight size={14} />
          </button>
        )}
        <span className={style.name} title={printable(node.label)}>
          {printable(shortLabel(node))}
        </span>
        {node.repeat > 1 && <span className={style.repeat}>×{formatExact(node.repeat)}</span>}
        {node.shares !== "" && (
          <span className={style.link} title={printable(node.shares)}>
            <Link2 size={12} aria-hidden="true" />
          </span>
        )}
        {mark !== "" && <span className={style.parent}>{mark}</span>}
        {hidden > 0 && (
          <span className={style.count} title={`${formatExact(hidden)} modules of the role ${role} are in here`} data-testid="hidden-count">
            {formatExact(hidden)} {role}
          </span>
        )}
        {matches > 0 && (
          <span className={style.matches} title={`${formatExact(matches)} ${matches === 1 ? "module matches" : "modules match"}`}>
            {formatExact(matches)}
          </span>
        )}
        {menu && (
          <button type="button" tabIndex={-1} className={style.menu} data-action="menu" title="Menu (Shift+F10)">
            <Ellipsis size={14} />
          </button>
        )}
      </span>
      <span className={style.second}>
        {node.open !== null && <RoleMark role={own} />}
        <span className={style.class} title={printable(node.className)}>
          {printable(node.className)}
        </span>
        {node.open === true && <Figures node={node} share={share} time={time} unit={unit} />}
      </span>
      {node.open !== true && (
        <span className={style.third}>
          <Figures node={node} share={share} time={time} unit={unit} />
        </span>
      )}
      {isSparked(node, time) && <Spark time={time!} unit={unit} />}
      {share !== null && node.open !== true && <i className={style.share} style={{ width: `${Math.min(100, share * 100)}%` }} />}
    </div>
  );
});

// Whether the times of the copies have a line of their own in the box.
export function isSparked(node: ModuleNode, time: ModuleTime | undefined): boolean {
  return node.copies > 1 && time !== undefined && time.copies.length > 1;
}

export function boxId(path: string): string {
  return `box-${path}`;
}

function Figures({ node, share, time, unit }: { readonly node: ModuleNode; readonly share: number | null; readonly time: ModuleTime | undefined; readonly unit: Unit }) {
  return (
    <>
      <span className={style.figures}>
        {node.parameters > 0 && (
          <span title={`${formatExact(node.parameters)} parameters, ${formatBytes(node.weightBytes).exact}${node.copies > 1 ? ", each" : ""}`}>{formatCount(node.parameters).text}</span>
        )}
        {node.dtypes.length > 0 && <span title={printable(node.dtypes.join(", "))}>{printable(node.dtypes.join(" "))}</span>}
      </span>
      {share !== null && time !== undefined && (
        <span className={style.percent}>
          <Quantity value={{ text: `${time.summed ? "Σ " : ""}${formatShare(share)}`, exact: `${formatValue(time.total, unit).exact}${time.summed ? ", the sum of the modules it holds: it has no frames of its own" : ""}` }} />
        </span>
      )}
    </>
  );
}

// "layers.0 … 63"
function shortLabel(node: ModuleNode): string {
  return node.repeat === 1 ? node.label : `${attributeName(node.path)} … ${node.lastPath.slice(node.lastPath.lastIndexOf(".") + 1)}`;
}
