// The aliases of the selected module, drawn over the boxes: from the one that shares to the one it shares with. Never all of them at once.
import type { DrawnLink } from "../alias-links.ts";
import { rectOf, type Rect } from "./camera.ts";
import type { BoxLayout } from "./box-layout.ts";
import style from "./module-graph.module.css";

export function LinkLines({ links, layout, rows }: { readonly links: readonly DrawnLink[]; readonly layout: BoxLayout; readonly rows: ReadonlyMap<string, number> }) {
  const world = rectOf(layout, 0);
  return (
    <svg className={style.links} width={world.width} height={world.height} aria-hidden="true" data-testid="alias-links" data-count={links.length}>
      {links.map(({ from, to }) => {
        const [a, b] = [rows.get(from), rows.get(to)];
        return a === undefined || b === undefined ? null : <path key={`${from} ${to}`} d={route(rectOf(layout, a), rectOf(layout, b), world.x + world.width + lane)} />;
      })}
    </svg>
  );
}

const lane = 24; // world px beside the whole graph, where links run
const corner = 10;

// Out to the lane and back in: a link crosses what stands to the right of its ends, and nothing between them.
function route(from: Rect, to: Rect, out: number): string {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + Math.min(33, from.height / 2), to.x + to.width, to.y + Math.min(33, to.height / 2)];
  const turn = y2 < y1 ? -corner : corner;
  return `M${x1} ${y1}H${out - corner}q${corner} 0 ${corner} ${turn}V${y2 - turn}q0 ${turn} ${-corner} ${turn}H${x2 + 7}m6 -5L${x2 + 2} ${y2}l11 5`;
}
