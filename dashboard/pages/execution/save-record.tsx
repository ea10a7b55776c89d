// The whole record as a file: what `lamella report --json` prints.
import { Download } from "lucide-react";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import control from "../../parts/control.module.css";
import { saveFile } from "../../parts/save-file.ts";

export function SaveRecord({ execution, record }: { readonly execution: ExecutionSummary; readonly record: ExecutionRecord }) {
  return (
    <button
      type="button"
      className={control.button}
      title="Save the whole record as JSON; the same from a terminal: npx lamella report ID --json"
      onClick={() => saveFile(`${fileStem(execution)}.record.json`, JSON.stringify(record), "application/json")}
      data-testid="save-record"
    >
      <Download size={13} aria-hidden="true" />
      Record
    </button>
  );
}

export function fileStem({ name, id }: ExecutionSummary): string {
  return `${name.replace(/(\.pt)?(\.trace)?\.json(\.gz)?$/, "").replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 80) || "execution"}-${id.slice(0, 8)}`;
}
