// The runs of a benchmark's result: one at a time, as a stored run is shown.
import { printable } from "#core/printable.ts";
import type { ChangeFile, FileSearch } from "../../app/url-state.ts";
import { Select } from "../../parts/select.tsx";
import { WorkloadView } from "../workload/workload-view.tsx";
import type { OpenedRun } from "./file-messages.ts";
import style from "./file-page.module.css";

export function BenchmarkFile({ runs, search, change }: { readonly runs: readonly OpenedRun[]; readonly search: FileSearch; readonly change: ChangeFile }) {
  const shown = runs[Number(search.run ?? 0)] ?? runs[0]!;
  return (
    <>
      {runs.length > 1 && (
        <div className={style.runs}>
          <Select label="Run" value={String(runs.indexOf(shown))} change={(run) => change({ run: run === "0" ? undefined : run, brush: undefined, input: undefined, request: undefined, time: undefined })} testId="file-run">
            {runs.map(({ report }, at) => (
              <option key={at} value={at}>
                {printable(report.name)}
                {report.label === "" ? "" : ` · ${printable(report.label)}`}
              </option>
            ))}
          </Select>
          <span>{runs.length} runs in the file</span>
        </div>
      )}
      <WorkloadView key={runs.indexOf(shown)} report={shown.report} requests={shown.requests} search={search} change={change} />
    </>
  );
}
