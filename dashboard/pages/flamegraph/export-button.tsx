// Opens the choice of a file format to save what is shown in.
import { Download } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";

const ExportDialog = lazy(async () => ({ default: (await import("./export-dialog.tsx")).ExportDialog }));

export function ExportButton({ search }: { readonly search: FlamegraphSearch }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={control.button} title="Save what is shown as a file for another tool" data-testid="export" onClick={() => setOpen(true)}>
        <Download size={13} aria-hidden="true" />
        Export
      </button>
      {open && (
        <Suspense>
          <ExportDialog search={search} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
