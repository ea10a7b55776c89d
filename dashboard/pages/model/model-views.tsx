// The ways to look at a model: its graph, its list, what it needs of memory, what differs from another model.
import { useNavigate, useSearch } from "@tanstack/react-router";
import control from "../../parts/control.module.css";
import style from "./model-page.module.css";

const views = [
  [undefined, "Graph"],
  ["list", "List"],
  ["memory", "Memory"],
  ["compare", "Compare"],
] as const;

export function ModelViews() {
  const search = useSearch({ from: "/t/$tenant/models/$model" });
  const navigate = useNavigate({ from: "/t/$tenant/models/$model" });
  return (
    <div className={style.views} role="group" aria-label="View">
      {views.map(([view, label]) => (
        <button key={label} type="button" className={control.button} aria-pressed={search.view === view} onClick={() => void navigate({ search: (old) => ({ ...old, view }) })} data-testid={`view-${view ?? "graph"}`}>
          {label}
        </button>
      ))}
    </div>
  );
}
