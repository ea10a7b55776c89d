// Graph or table; and how the stacks of the graph are looked at: layers shown, folded or hidden; root or leaf first; and the frame whose callers or callees are all that is shown.
import { X } from "lucide-react";
import { use } from "react";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { Select } from "../../parts/select.tsx";
import type { ColourMode } from "./colour-modes.ts";
import { CompareButton } from "./compare-button.tsx";
import { ExportButton } from "./export-button.tsx";
import { FlamegraphOrigin } from "./flamegraph-origin.ts";
import style from "./view-bar.module.css";

export type Around = Pick<FlamegraphSearch, "frame" | "side">;

const layerViews = [
  ["show", "Shown", "Every layer by itself"],
  ["fold", "Folded", "The same layer of every block as one frame ×N (f)"],
  ["hide", "Hidden", "Model Layer frames merge back into the stack around them (m)"],
] as const;

export function ViewBar({
  search,
  aroundName,
  model,
  execution,
  change,
}: {
  readonly search: FlamegraphSearch;
  readonly aroundName: string | null; // null: the frame is in no stack here
  readonly model: string | null; // the id of the outermost layer's frame, the heaviest; null: there is none, or it is the root already
  readonly execution: string | null; // that is shown
  readonly change: (change: Partial<FlamegraphSearch>) => void;
}) {
  const layers = search.layers ?? "show";
  const table = search.view === "table";
  const side = search.side ?? "callees";
  const stored = use(FlamegraphOrigin) === "stored";
  return (
    <div className={style.bar}>
      {stored && (
        <div className={style.group} role="group" aria-label="View">
          <button type="button" className={control.button} aria-pressed={!table} data-testid="view-graph" onClick={() => change({ view: undefined })}>
            Graph
          </button>
          <button type="button" className={control.button} aria-pressed={table} title="What the time goes to: kernels, functions, modules … (t)" data-testid="view-table" onClick={() => change({ view: "table" })}>
            Table
          </button>
        </div>
      )}
      {!table && (
        <>
          <div className={style.group} role="group" aria-label="Layers">
            <span className={style.label}>Layers</span>
            {layerViews.map(([view, text, title]) => (
              <button key={view} type="button" className={control.button} aria-pressed={layers === view} title={title} data-testid={`layers-${view}`} onClick={() => change({ layers: view === "show" ? undefined : view })}>
                {text}
              </button>
            ))}
          </div>
          <button type="button" className={control.button} aria-pressed={search.invert === "1"} title="What the time is spent in first, then who calls it (i)" data-testid="invert" onClick={() => change({ invert: search.invert === "1" ? undefined : "1", focus: undefined })}>
            Leaf first
          </button>
          <button type="button" className={control.button} aria-pressed={search.recursion === "collapse"} title="Every frame at most once in a stack: where it occurs again it is left out (r)" data-testid="recursion" onClick={() => change({ recursion: search.recursion === undefined ? "collapse" : undefined })}>
            No recursion
          </button>
          <button type="button" className={control.button} aria-pressed={search.chains === "group"} title="Frames that only lead to one another as one, (12) name: those of one kind with a single callee that has 99 % of them" data-testid="chains" onClick={() => change({ chains: search.chains === undefined ? "group" : undefined })}>
            Chains as one
          </button>
          {model !== null && (
            <button type="button" className={control.button} title="Only what the model calls, without the stack above it" data-testid="from-model" onClick={() => change({ frame: model, side: "callees", focus: undefined })}>
              From the model
            </button>
          )}
          <Select label="Colour by" value={search.colour ?? ""} change={(colour) => change({ colour: colour === "" ? undefined : (colour as ColourMode) })} testId="colour-by">
            <option value="">Colour by kind</option>
            <option value="role">Colour by module role</option>
            <option value="layer">Colour by layer</option>
            <option value="self">Colour by self time</option>
          </Select>
          {stored && <CompareButton search={search} execution={execution} change={change} />}
          {stored && <ExportButton search={search} />}
          {search.frame !== undefined && (
            <div className={style.group} role="group" aria-label="One frame" data-testid="around">
              <span className={style.label}>Only</span>
              {(["callers", "callees"] as const).map((one) => (
                <button key={one} type="button" className={control.button} aria-pressed={side === one} data-testid={`side-${one}`} onClick={() => change({ side: one, focus: undefined })}>
                  {one}
                </button>
              ))}
              <span className={style.name} title={aroundName ?? undefined}>
                of {aroundName ?? "a frame that is not in this selection"}
              </span>
              <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Show all stacks" title="Show all stacks" data-testid="around-leave" onClick={() => change(noFrame)}>
                <X size={13} />
              </button>
            </div>
          )}
        </>
      )}
    </div>
  );
}

const noFrame = { frame: undefined, side: undefined, focus: undefined } as const;

// What the key `s` shows next: callers of the frame, its callees, all stacks.
export function nextAround({ frame, side }: Around, selected: string | null): Partial<FlamegraphSearch> | null {
  if (frame === undefined) return selected === null ? null : { frame: selected, side: "callers", focus: undefined };
  return side === "callers" ? { side: "callees", focus: undefined } : noFrame;
}
