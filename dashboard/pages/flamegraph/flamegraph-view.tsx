// One answer on screen: summary, legend, search, drawing and the selected frame, and what the keys do to them.
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import type { FrameKindName } from "#schema/frame-kinds.ts";
import type { ChangeSearch, FlamegraphSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { Loading } from "../../parts/states.tsx";
import { DetailsBar } from "./details-bar.tsx";
import { drawnGraph } from "./drawn-graph.ts";
import { FlamegraphCanvas } from "./flamegraph-canvas.tsx";
import { frameFacts, spokenFrame } from "./frame-facts.ts";
import type { MenuAt } from "./frame-menu.tsx";
import { ExecutionNotice, FlamegraphSummary } from "./flamegraph-summary.tsx";
import { hiddenKinds, toggleKind } from "./hidden-kinds.ts";
import { Legend } from "./legend.tsx";
import { outermostLayer } from "./outermost-layer.ts";
import { SearchBox } from "./search-box.tsx";
import { SearchSummary } from "./search-summary.tsx";
import { useColours } from "./use-colours.ts";
import { useFlamegraphKeys } from "./use-flamegraph-keys.ts";
import { useFrameActions } from "./use-frame-actions.ts";
import { useSearchFound } from "./use-search.ts";
import { useTreeKeys } from "./use-tree-keys.ts";
import { useSelection } from "./use-selection.ts";
import { nextAround, ViewBar } from "./view-bar.tsx";
import style from "./flamegraph-page.module.css";

// Loaded when they are first wanted.
const ColourKey = lazy(async () => ({ default: (await import("./colour-key.tsx")).ColourKey }));
const FrameMenu = lazy(async () => ({ default: (await import("./frame-menu.tsx")).FrameMenu }));
const ModulePane = lazy(async () => ({ default: (await import("./module-pane.tsx")).ModulePane }));
const TopTable = lazy(async () => ({ default: (await import("./top-table.tsx")).TopTable }));

type ViewProps = {
  readonly graph: Flamegraph;
  readonly stale: boolean;
  readonly search: FlamegraphSearch;
  readonly change: ChangeSearch;
};

export function FlamegraphView({ graph: answer, stale, search, change }: ViewProps) {
  const input = useRef<HTMLInputElement>(null);
  const whole = useRef<HTMLDivElement>(null);
  const { recursion, chains, invert, frame, side } = search;
  const graph = useMemo(() => drawnGraph(answer, { recursion, chains, invert, frame, side }), [answer, recursion, chains, invert, frame, side]);
  const { focus, missing, selected, select, setFocus } = useSelection(graph, stale, search, change);
  const { query, hits, matched, matches } = useSearchFound(graph, search.search ?? "");
  const actions = useFrameActions(graph, search, change);
  const colours = useColours(graph, search.colour);
  const hidden = useMemo(() => hiddenKinds(search), [search]);
  const present = useMemo(() => presentKinds(answer), [answer]);
  const model = useMemo(() => (frame === undefined ? outermostLayer(answer) : null), [answer, frame]);
  const [menu, setMenu] = useState<MenuAt | null>(null);

  const toggle = useCallback((kind: FrameKindName) => change(toggleKind(search, kind)), [change, search]);
  const { step, treeKey } = useTreeKeys({ graph, focus, selected, select, setFocus, matches, copyName: actions.copyName, copyStack: actions.copyStack });

  const pageKeys = useMemo(
    () => ({
      "/": () => input.current?.focus(),
      n: () => step(true),
      N: () => step(false),
      m: () => toggle("layer"),
      f: () => change({ layers: search.layers === "fold" ? undefined : "fold" }),
      i: () => change({ invert: invert === "1" ? undefined : "1", focus: undefined }),
      r: () => change({ recursion: recursion === undefined ? "collapse" : undefined }),
      s: () => {
        const id = selected === null ? "" : actions.idOf(selected);
        const next = nextAround({ frame, side }, id === "" ? null : id);
        if (next !== null) change(next);
      },
      p: () => change({ pane: search.pane === undefined ? "closed" : undefined }, true),
      t: () => change({ view: search.view === "table" ? undefined : "table" }),
      "0": () => setFocus(0),
    }),
    [step, toggle, change, search, invert, recursion, frame, side, selected, actions, setFocus],
  );
  useFlamegraphKeys(pageKeys);

  return (
    <div ref={whole} className={style.page} data-testid="flamegraph" data-stale={stale}>
      <ExecutionNotice graph={answer} />
      <div className={style.strip}>
        <FlamegraphSummary graph={answer} layersShown={!hidden.has("layer")} />
      </div>
      <div className={style.row}>
        <Legend present={present} hidden={hidden} toggle={toggle} colours={search.colour === undefined} />
        {search.colour !== undefined && (
          <Suspense>
            <ColourKey mode={search.colour} />
          </Suspense>
        )}
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
      <div className={style.row}>
        <ViewBar search={search} aroundName={frame === undefined || graph.nodes.frame.length < 2 ? null : frameFacts(graph, 1).shortName} model={model} execution={answer.execution?.id ?? null} change={change} />
      </div>
      <SearchSummary graph={answer} search={query} hits={hits} model={search.model} />
      {missing && !stale && (
        <p className={style.note} role="note">
          The frame this link focuses is not in this selection.
          <button type="button" className={control.button} onClick={() => setFocus(0)}>
            Show everything
          </button>
        </p>
      )}
      {search.view === "table" ? (
        <Suspense fallback={<Loading what="the table" rows={12} />}>
          <TopTable profileType={answer.profileType} search={search} change={change} />
        </Suspense>
      ) : (
        <div className={style.split}>
          <div className={`${style.drawing} ${stale ? style.stale : ""}`}>
            <FlamegraphCanvas
              graph={graph}
              colours={colours}
              focus={focus}
              selected={selected}
              matched={matched}
              matches={matches}
              onFocus={setFocus}
              onSelect={select}
              onKey={treeKey}
              onMenu={(node, x, y) => setMenu({ graph, node, x, y })}
            />
          </div>
          {selected !== null && search.pane !== "closed" && (
            <Suspense>
              <ModulePane graph={graph} node={selected} search={search} select={select} close={() => change({ pane: "closed" }, true)} />
            </Suspense>
          )}
        </div>
      )}
      {menu?.graph === graph && (
        <Suspense>
          <FrameMenu graph={graph} at={menu} actions={actions} close={() => setMenu(null)} />
        </Suspense>
      )}
      <p className="visually-hidden" role="status" data-testid="flamegraph-focus" data-node={focus}>
        {focus > 0 ? `Focused: ${spokenFrame(graph, focus)}` : ""}
      </p>
      {search.view !== "table" && <DetailsBar graph={graph} node={selected} copy={() => selected !== null && actions.copyName(selected)} around={actions.around} />}
    </div>
  );
}

function presentKinds({ nodes, frames }: Flamegraph): ReadonlySet<string> {
  const shown = new Uint8Array(frames.kind.length);
  for (const frame of nodes.frame) shown[frame] = 1;
  return new Set(frames.kind.filter((_, frame) => shown[frame] === 1));
}
