// Opens the choice of what the selection is compared with.
import { GitCompareArrows } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { ChangeSearch, FlamegraphSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";

const CompareDialog = lazy(async () => ({ default: (await import("./compare-dialog.tsx")).CompareDialog }));

export type CompareProps = {
  readonly search: FlamegraphSearch;
  readonly execution: string | null; // the execution that is shown; null: live samples
  readonly change: ChangeSearch;
  readonly label?: string;
};

export function CompareButton(props: CompareProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={control.button} title="Compare with another time range, execution or filter" data-testid="compare" onClick={() => setOpen(true)}>
        <GitCompareArrows size={13} aria-hidden="true" />
        {props.label ?? "Compare"}
      </button>
      {open && (
        <Suspense>
          <CompareDialog {...props} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
