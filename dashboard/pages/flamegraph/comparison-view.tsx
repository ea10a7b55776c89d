// The comparison drawn, or as a table; with the same search, focus, selection and keys as one selection alone.
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";
import type { ChangeSearch, FlamegraphSearch } from "../../app/url-state.ts";
import { Empty, Loading } from "../../parts/states.tsx";
import { coloursByChange } from "./change-colours.ts";
import { drawnComparison } from "./comparison-graph.ts";
import { DetailsBar } from "./details-bar.tsx";
import { FlamegraphCanvas } from "./flamegraph-canvas.tsx";
import { spokenFrame } from "./frame-facts.ts";
import type { MenuAt } from "./frame-menu.tsx";
import { hiddenKinds, toggleKind } from "./hidden-kinds.ts";
import { Legend } from "./legend.tsx";
import { SearchBox } from "./search-box.tsx";
import { useFlamegraphKeys } from "./use-flamegraph-keys.ts";
import { useFrameActions } from "./use-frame-actions.ts";
import { useSearchFound } from "./use-search.ts";
import { useSelection } from "./use-selection.ts";
import { useTreeKeys } from "./use-tree-keys.ts";
import style from "./flamegraph-page.module.css";

const ComparisonTable = lazy(async () => ({ default: (await import("./comparison-table.tsx")).ComparisonTable }));
const FrameMenu = lazy(async () => ({ default: (await import("./frame-menu.tsx")).FrameMenu }));

type ViewProps = { readonly comparison: FlamegraphComparison; readonly stale: boolean; readonly search: FlamegraphSearch; readonly change: ChangeSearch };

export function ComparisonView({ comparison, stale, search, change }: ViewProps) {
  const input = useRef<HTMLInputElement>(null);
  const whole = useRef<HTMLDivElement>(null);
  const { compared, graph } = useMemo(() => drawnComparison(comparison, search.changes ?? null), [comparison, search.changes]);
  const { focus, selected, select, setFocus } = useSelection(graph, stale, search, change);
  const { matched, matches, query } = useSearchFound(graph, search.search ?? "");
  const actions = useFrameActions(graph, search, change);
  const colours = useMemo(() => coloursByChange(compared), [compared]);
  const hidden = useMemo(() => hiddenKinds(search), [search]);
  const present = useMemo(() => new Set<string>(graph.frames.kind), [graph]);
  const [menu, setMenu] = useState<MenuAt | null>(null);
  const { step, treeKey } = useTreeKeys({ graph, focus, selected, select, setFocus, matches, copyName: actions.copyName, copyStack: actions.copyStack });
  const pageKeys = useMemo(
    () => ({
      "/": () => input.current?.focus(),
      n: () => step(true),
      N: () => step(false),
      m: () => change(toggleKind(search, "layer")),
      t: () => change({ view: search.view === "table" ? undefined : "table" }),
      "0": () => setFocus(0),
    }),
    [step, change, search, setFocus],
  );
  useFlamegraphKeys(pageKeys);
  const table = search.view === "table";
  return (
    <div ref={whole} className={style.page} data-testid="comparison" data-basis={comparison.basis} data-stale={stale}>
      {!table && (
        <div className={`${style.row} ${style.above}`}>
          <Legend present={present} hidden={hidden} toggle={(kind) => change(toggleKind(search, kind))} colours={false} />
          <span className={style.searching}>
            <SearchBox
              input={input}
              value={search.search ?? ""}
              invalid={query.problems.length > 0}
              matches={matches.length}
              step={step}
              change={(text) => change({ search: text === "" ? undefined : text }, true)}
              leave={() => whole.current?.querySelector<HTMLElement>("[role=tree]")?.focus()}
            />
          </span>
        </div>
      )}
      {table ? (
        <Suspense fallback={<Loading what="the table" rows={12} />}>
          <ComparisonTable comparison={comparison} />
        </Suspense>
      ) : graph.total <= 0 ? (
        <Empty title={search.changes === "new" ? "Nothing is new in B" : search.changes === "gone" ? "Nothing of A is gone" : "Nothing to draw on this basis"} testId="no-changes">
          <p>{search.changes === undefined ? "Neither side has anything to divide by. Choose another basis above." : "Every stack that one side has, the other has too. Show all of it to see how much each changed."}</p>
        </Empty>
      ) : (
        <div className={`${style.drawing} ${stale ? style.stale : ""}`}>
          <FlamegraphCanvas graph={graph} colours={colours} focus={focus} selected={selected} matched={matched} matches={matches} onFocus={setFocus} onSelect={select} onKey={treeKey} onMenu={(node, x, y) => setMenu({ graph, node, x, y })} />
        </div>
      )}
      {menu?.graph === graph && (
        <Suspense>
          <FrameMenu graph={graph} at={menu} actions={actions} compared close={() => setMenu(null)} />
        </Suspense>
      )}
      <p className="visually-hidden" role="status" data-testid="flamegraph-focus" data-node={focus}>
        {focus > 0 ? `Focused: ${spokenFrame(graph, focus)}` : ""}
      </p>
      {!table && <DetailsBar graph={graph} node={selected} copy={() => selected !== null && actions.copyName(selected)} />}
    </div>
  );
}
