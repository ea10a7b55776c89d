// What the flamegraph shows, whole and uncut, as a file for another tool.
import { useState } from "react";
import { exportFormatNames, exportFormats, type ExportFormat } from "#schema/export-formats.ts";
import { fetchFile } from "../../app/fetch-api.ts";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import { useToast } from "../../app/toasts.tsx";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import { toApiError } from "../../parts/api-error.ts";
import control from "../../parts/control.module.css";
import { Dialog } from "../../parts/dialog.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { viewQuery } from "./flamegraph-query.ts";
import style from "./export-dialog.module.css";

export function ExportDialog({ search, close }: { readonly search: FlamegraphSearch; readonly close: () => void }) {
  const { tenant } = useSession();
  const range = useTimeRange();
  const toast = useToast();
  const [busy, setBusy] = useState<ExportFormat | null>(null);
  const save = async (format: ExportFormat) => {
    setBusy(format);
    try {
      const { name, content } = await fetchFile(tenant, "/flamegraph/export", { ...viewQuery(range, search), format });
      saveFile(name, content);
      toast({ text: `Saved ${name}` });
      close();
    } catch (error) {
      const { title, detail } = toApiError(error);
      toast({ text: `${title}. ${detail}`, tone: "danger" });
    } finally {
      setBusy(null);
    }
  };
  return (
    <Dialog title="Export what is shown" close={close} testId="export-dialog">
      <ul className={style.formats}>
        {exportFormatNames.map((format) => (
          <li key={format}>
            <button type="button" className={control.button} disabled={busy !== null} data-testid={`export-${format}`} onClick={() => void save(format)}>
              {busy === format ? "Saving…" : format}
            </button>
            <span>
              .{exportFormats[format].extension} <span className={style.opens}>opens in {exportFormats[format].opens}</span>
            </span>
          </li>
        ))}
      </ul>
      {(search.recursion !== undefined || search.chains !== undefined) && <p className={style.note}>Stacks are saved as they were recorded: recursion and chains are not collapsed in the file.</p>}
      <p className={style.note}>All stacks of the selection in this view, none cut. The same from a terminal: <code>npx lamella export</code></p>
    </Dialog>
  );
}
