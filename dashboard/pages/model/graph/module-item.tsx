// The one tree item a screen reader meets: the module where the keyboard is, with its level, its place among its siblings and a spoken label.
import { attributeName } from "#core/module-path.ts";
import { printable } from "#core/printable.ts";
import { formatCount, formatExact, formatShare } from "../../../parts/number-format.ts";
import type { ModuleNode } from "../module-nodes.ts";

export const itemId = "graph-module";

type Props = { readonly node: ModuleNode; readonly selected: boolean; readonly share: number | null; readonly more: readonly string[] }; // share: of the samples' time

export function ModuleItem({ node, selected, share, more }: Props) {
  return (
    <div
      id={itemId}
      role="treeitem"
      className="visually-hidden"
      aria-level={node.level}
      aria-posinset={node.position}
      aria-setsize={node.siblings}
      aria-selected={selected}
      {...(node.open === null ? {} : { "aria-expanded": node.open })}
    >
      {spokenModule(node, [share === null ? "" : `${formatShare(share)} of the time`, ...more])}
    </div>
  );
}

// "layers.0 … layers.63, Qwen3DecoderLayer, 64 copies, 499M parameters each, 93 % of the time"
export function spokenModule(node: ModuleNode, more: readonly string[]): string {
  const parts = [node.path === "" || node.repeat > 1 ? node.label : attributeName(node.path), node.className];
  if (node.copies > 1) parts.push(`${formatExact(node.copies)} copies`);
  if (node.parameters > 0) parts.push(`${formatCount(node.parameters).text} parameters${node.copies > 1 ? " each" : ""}`);
  return [...parts, node.shares, ...more].filter((part) => part !== "").map(printable).join(", ");
}
