// The controls on the canvas: zoom in and out, fit the graph to the view, expand every section, reset the view.
import { Maximize, Minus, Plus, RotateCcw, UnfoldVertical } from "lucide-react";
import type { ReactNode } from "react";
import style from "./module-graph.module.css";

export type PillsProps = {
  readonly zoom: (steps: number) => void;
  readonly fit: () => void;
  readonly expandAll?: (() => void) | undefined;
  readonly reset?: (() => void) | undefined;
};

export function Pills({ zoom, fit, expandAll, reset }: PillsProps) {
  return (
    <div className={style.pills} role="group" aria-label="View of the graph" data-pills>
      <Pill label="Zoom in" keys="+" run={() => zoom(1)} icon={<Plus size={15} />} />
      <Pill label="Zoom out" keys="−" run={() => zoom(-1)} icon={<Minus size={15} />} />
      <Pill label="Fit the graph to the view" keys="0" run={fit} icon={<Maximize size={14} />} />
      {expandAll !== undefined && <Pill label="Expand every section" keys="e" run={expandAll} icon={<UnfoldVertical size={14} />} />}
      {reset !== undefined && <Pill label="Reset the view" keys="r" run={reset} icon={<RotateCcw size={14} />} />}
    </div>
  );
}

function Pill({ label, keys, run, icon }: { readonly label: string; readonly keys: string; readonly run: () => void; readonly icon: ReactNode }) {
  return (
    <button type="button" aria-label={label} title={`${label} (${keys})`} onClick={run} data-testid={`pill-${label.split(" ")[0]!.toLowerCase()}`}>
      {icon}
    </button>
  );
}
