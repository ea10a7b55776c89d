// The filter bar for pages whose drawing comes first: the grammar and the completions are loaded beside it, and the place is kept.
import { lazy, Suspense } from "react";
import control from "./control.module.css";
import type { FilterBarProps } from "./filter-bar.tsx";

const FilterBar = lazy(async () => ({ default: (await import("./filter-bar.tsx")).FilterBar }));

export function LazyFilterBar(props: FilterBarProps) {
  return (
    <Suspense fallback={<input className={control.input} disabled aria-label="Filter" value={props.value} />}>
      <FilterBar {...props} />
    </Suspense>
  );
}
