// Below the drawing: the selected frame, or how to select one.
import { lazy, Suspense } from "react";
import type { SelectedBarProps } from "./selected-bar.tsx";
import style from "./details-bar.module.css";

const SelectedBar = lazy(async () => ({ default: (await import("./selected-bar.tsx")).SelectedBar }));

export function DetailsBar({ node, ...props }: Omit<SelectedBarProps, "node"> & { readonly node: number | null }) {
  if (node !== null)
    return (
      <Suspense fallback={<footer className={style.bar} />}>
        <SelectedBar node={node} {...props} />
      </Suspense>
    );
  return (
    <footer className={style.bar}>
      <span className={style.hint}>
        Click a frame, or press Tab and use the arrow keys. <kbd>?</kbd> lists all keys.
      </span>
    </footer>
  );
}
