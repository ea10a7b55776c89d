// One stretch of a trace, closed in time: no call of it lasts beyond its end, and nothing in it belongs to what comes before or after. Small files are one
// stretch; of large ones each is linked by itself and forgotten, so memory does not grow with the file. What it must know of the others is foreknowledge.ts.
import { Attribution } from "./attribution.ts";
import { BackwardLinks } from "./backward-links.ts";
import type { HostCalls } from "./calls.ts";
import type { Foreknowledge } from "./foreknowledge.ts";
import type { ModulePlaces } from "./module-places.ts";
import type { Nesting } from "./nest.ts";
import type { TextTable } from "../read/text-table.ts";
import type { TraceTables } from "./trace-tables.ts";

export type Stretch = { tables: TraceTables; calls: HostCalls; nesting: Nesting; backward: BackwardLinks; attribution: Attribution };

export function newStretch(tables: TraceTables, nesting: Nesting, places: ModulePlaces, texts: TextTable, { annotations, forwardThreads, complete }: Foreknowledge): Stretch {
  annotations.learn(tables, nesting, texts);
  places.place(tables, nesting);
  forwardThreads.learn(tables, complete);
  const backward = new BackwardLinks(tables, nesting, texts, forwardThreads);
  return { tables, calls: tables.calls, nesting, backward, attribution: new Attribution(places.enclosing, backward, nesting) };
}
