// One answer on screen: summary, legend, search, drawing and the selected frame, and what the keys do to them.
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { parseSearch, searchTree } from "#core/flamegraph/search.ts";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import type { FrameKindName } from "#schema/frame-kinds.ts";
import { useToast } from "../../app/toasts.tsx";
import type { ChangeSearch, FlamegraphSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { isTyping } from "../../parts/is-typing.ts";
import { DetailsBar } from "./details-bar.tsx";
import { FlamegraphCanvas } from "./flamegraph-canvas.tsx";
import { frameFacts, spokenFrame } from "./frame-facts.ts";
import { ExecutionNotice, FlamegraphSummary } from "./flamegraph-summary.tsx";
import { hiddenKinds, toggleKind } from "./hidden-kinds.ts";
import { Legend } from "./legend.tsx";
import { findPathKey, pathKeys, printPathKey } from "./path-key.ts";
import { SearchBox } from "./search-box.tsx";
import { SearchSummary } from "./search-summary.tsx";
import { useSamePlace } from "./use-same-place.ts";
import { TopTable } from "./top-table.tsx";
import { nextAround, ViewBar } from "./view-bar.tsx";
import { nextMatch, walk, widerAncestor, type Step } from "./walk.ts";
import style from "./flamegraph-page.module.css";

const steps: Readonly<Record<string, Step>> = {
  ArrowUp: "caller",
  ArrowDown: "callee",
  ArrowLeft: "left",
  ArrowRight: "right",
  Home: "first",
  End: "last",
};

export function FlamegraphView({
  graph,
  stale,
  search,
  change,
}: {
  readonly graph: Flamegraph;
  readonly stale: boolean;
  readonly search: FlamegraphSearch;
  readonly change: ChangeSearch;
}) {
  const toast = useToast();
  const input = useRef<HTMLInputElement>(null);
  const whole = useRef<HTMLDivElement>(null);
  const index = useMemo(() => indexTree(graph.nodes), [graph]);
  const keys = useMemo(() => pathKeys(graph), [graph]);
  const query = useMemo(() => parseSearch(search.search ?? ""), [search.search]);
  const hits = useMemo(() => (query.terms.length === 0 ? null : searchTree(graph, index, query)), [graph, index, query]);
  const matches = useMemo(() => (hits === null ? [] : Array.from(hits.matched.keys()).filter((node) => hits.matched[node] === 1)), [hits]);
  const focused = search.focus === undefined ? 0 : findPathKey(keys, search.focus);
  const focus = focused ?? 0;
  const [selection, setSelection] = useState<{ readonly graph: Flamegraph; readonly node: number } | null>(null);
  const selected = selection !== null && selection.graph === graph ? selection.node : null;
  const hidden = useMemo(() => hiddenKinds(search), [search]);
  const present = useMemo(() => new Set<string>(graph.nodes.frame.map((frame) => graph.frames.kind[frame] as string)), [graph]);

  const setFocus = useCallback(
    (node: number) => {
      if (node !== focus || focused === undefined) change({ focus: node === 0 ? undefined : printPathKey(keys, node) });
    },
    [change, keys, focus, focused],
  );
  const select = useCallback((node: number | null) => setSelection(node === null ? null : { graph, node }), [graph]);

  const move = useCallback(
    (nextFocus: number | undefined, nextSelected: number | null) => {
      select(nextSelected);
      if (nextFocus !== undefined) change({ focus: nextFocus === 0 ? undefined : printPathKey(keys, nextFocus) }, true);
    },
    [select, change, keys],
  );
  useSamePlace({ graph, end: index.end, focus: focused, selected, hidden }, stale, move);

  const toggle = useCallback((kind: FrameKindName) => change(toggleKind(search, kind)), [change, search]);
  const step = useCallback(
    (forward: boolean) => {
      const next = nextMatch(matches, selected ?? (forward ? -1 : index.size), forward);
      if (next === undefined) return;
      select(next);
      if (next < focus || next >= (index.end[focus] as number)) setFocus(0);
    },
    [matches, selected, index, select, focus, setFocus],
  );
  const copy = useCallback(() => {
    if (selected === null) return;
    const name = graph.frames.name[graph.nodes.frame[selected] as number] as string;
    void navigator.clipboard.writeText(name).then(
      () => toast({ text: "Copied the frame's name" }),
      () => toast({ text: "The browser did not allow copying", tone: "danger" }),
    );
  }, [selected, graph, toast]);

  const idOf = useCallback((node: number) => graph.frames.id[graph.nodes.frame[node] as number] as string, [graph]);
  const aroundNext = useCallback(() => {
    const next = nextAround(search, selected === null || idOf(selected) === "" ? null : idOf(selected));
    if (next !== null) change(next);
  }, [search, selected, idOf, change]);

  const treeKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = steps[event.key];
    if (move !== undefined) {
      const next = selected === null ? focus : walk(index, graph.nodes.parent, selected, move);
      select(next);
      const inside = next >= focus && next < (index.end[focus] as number);
      const above = next <= focus && focus < (index.end[next] as number);
      if (!inside && !above) setFocus(0);
    } else if (event.key === "Enter" && selected !== null) setFocus(selected);
    else if (event.key === "Escape" || event.key === "Backspace") {
      if (focus > 0) setFocus(widerAncestor(graph.nodes.parent, graph.nodes.total, focus));
      else select(null);
    } else if (event.key === "c") copy();
    else return;
    event.preventDefault();
  };

  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.defaultPrevented ||
        isTyping(event.target) ||
        document.querySelector("dialog[open]") !== null
      )
        return;
      if (event.key === "/") input.current?.focus();
      else if (event.key === "n" || event.key === "N") step(event.key === "n");
      else if (event.key === "m") toggle("layer");
      else if (event.key === "f") change({ layers: search.layers === "fold" ? undefined : "fold" });
      else if (event.key === "i") change({ invert: search.invert === "1" ? undefined : "1", focus: undefined });
      else if (event.key === "s") aroundNext();
      else if (event.key === "t") change({ view: search.view === "table" ? undefined : "table" });
      else if (event.key === "0") setFocus(0);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [step, toggle, setFocus, aroundNext, change, search]);

  return (
    <div ref={whole} className={style.page} data-testid="flamegraph" data-stale={stale}>
      <ExecutionNotice graph={graph} />
      <div className={style.strip}>
        <FlamegraphSummary graph={graph} layersShown={!hidden.has("layer")} />
      </div>
      <div className={style.row}>
        <Legend present={present} hidden={hidden} toggle={toggle} />
        <ViewBar search={search} aroundName={search.frame === undefined || graph.nodes.frame.length < 2 ? null : frameFacts(graph, 1).shortName} change={change} />
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
      <SearchSummary graph={graph} search={query} hits={hits} model={search.model} />
      {focused === undefined && !stale && (
        <p className={style.note} role="note">
          The frame this link focuses is not in this selection.
          <button type="button" className={control.button} onClick={() => setFocus(0)}>
            Show everything
          </button>
        </p>
      )}
      {search.view === "table" ? (
        <TopTable profileType={graph.profileType} search={search} change={change} />
      ) : (
        <div className={`${style.drawing} ${stale ? style.stale : ""}`}>
          <FlamegraphCanvas
            graph={graph}
            index={index}
            focus={focus}
            selected={selected}
            hits={hits}
            matches={matches}
            onFocus={setFocus}
            onSelect={select}
            onKey={treeKey}
          />
        </div>
      )}
      <p className="visually-hidden" role="status" data-testid="flamegraph-focus" data-node={focus}>
        {focus > 0 ? `Focused: ${spokenFrame(graph, focus)}` : ""}
      </p>
      {search.view !== "table" && <DetailsBar graph={graph} node={selected} copy={copy} around={(node, side) => change({ frame: idOf(node), side, focus: undefined })} />}
    </div>
  );
}
