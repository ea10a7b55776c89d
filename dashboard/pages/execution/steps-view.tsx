// The steps of an execution, as the recorder or the engine marked them: what ran in each, and what a phase takes together.
import { Download } from "lucide-react";
import { useMemo } from "react";
import { printable } from "#core/printable.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import control from "../../parts/control.module.css";
import { formatCount, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { Empty } from "../../parts/states.tsx";
import type { TableColumn } from "../../parts/table-column.ts";
import { parseTableSort, printTableSort, sortRows, tableCsv, type TableSort } from "../../parts/table-sort.ts";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { PhaseSums } from "./phase-sums.tsx";
import { fileStem } from "./save-record.tsx";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./kernels-view.module.css";

type Step = ExecutionRecord["steps"][number];
const firstSort: TableSort = { column: "start", descending: false };

export function StepsView({ open: { execution, record } }: { readonly open: OpenExecution }) {
  const [search, change] = useExecutionSearch();
  const { steps } = record;
  const columns = useMemo(() => stepColumns(steps), [steps]);
  const sort = parseTableSort(search.sort, columns, firstSort);
  const rows = useMemo(() => sortRows(steps.map((_, at) => at), columns.find(({ name }) => name === sort.column)!, sort.descending), [steps, columns, sort.column, sort.descending]);
  if (steps.length === 0) return <Empty title="No steps in this execution" testId="no-steps"><p>Neither the profiler nor the engine marked any. torch.profiler marks them with <code>prof.step()</code>; vLLM and SGLang mark their own.</p></Empty>;
  return (
    <div className={style.main}>
      <div className={style.bar}>
        <PhaseSums steps={steps} />
        <button type="button" className={control.button} onClick={() => saveFile(`${fileStem(execution)}.steps.csv`, tableCsv(columns, rows), "text/csv;charset=utf-8")} data-testid="steps-csv">
          <Download size={13} aria-hidden="true" />
          CSV
        </button>
      </div>
      <VirtualTable label="Steps" columns={columns} rows={rows} sort={sort} onSort={(next) => change({ sort: printTableSort(next, firstSort) })} selected={search.kernel === undefined ? null : Number(search.kernel)} onSelect={(row) => change({ kernel: row === null ? undefined : String(row) })} testId="steps" />
    </div>
  );
}

// Columns that nothing is known for are left out.
function stepColumns(steps: readonly Step[]): TableColumn[] {
  const longest = Math.max(1, ...steps.map(({ value }) => value));
  const time = (name: string, label: string, title: string, of: (step: Step) => number): TableColumn => ({ name, label, title, width: 110, numeric: true, firstDescending: true, csvName: `${name}_ns`, value: (at) => of(steps[at]!) || null, show: (at) => (of(steps[at]!) === 0 ? "—" : <Quantity value={formatValue(of(steps[at]!), "ns")} />) });
  const count = (name: string, label: string, of: (step: Step) => number): TableColumn => ({ name, label, width: 96, numeric: true, firstDescending: true, value: (at) => of(steps[at]!) || null, show: (at) => (of(steps[at]!) === 0 ? "—" : <Quantity value={formatCount(of(steps[at]!))} />) });
  const any = (of: (step: Step) => number) => steps.some((step) => of(step) > 0);
  return [
    { name: "step", label: "Step", width: 240, numeric: false, firstDescending: false, value: (at) => steps[at]!.label || `call ${steps[at]!.number}`, show: (at) => <span title={printable(steps[at]!.label)}>{printable(steps[at]!.label) || `call ${steps[at]!.number}`}</span> },
    ...(steps.some(({ phase }) => phase !== "") ? [{ name: "phase", label: "Phase", width: 84, numeric: false, firstDescending: false, value: (at: number) => steps[at]!.phase || null, show: (at: number) => steps[at]!.phase || "—" }] : []),
    { name: "start", label: "Start", title: "On the host, since the first event", width: 100, numeric: true, firstDescending: false, csvName: "start_ns", value: (at) => steps[at]!.startNs, show: (at) => <Quantity value={formatValue(steps[at]!.startNs, "ns")} /> },
    time("duration", "On the host", "How long it lasted on the host", ({ durationNs }) => durationNs),
    ...(any(({ value }) => value) ? [
      { ...time("time", "GPU time", "Of the kernels launched in it", ({ value }) => value), bar: { colour: "var(--border-strong)", share: (at: number) => steps[at]!.value / longest } },
      time("busy", "GPU busy", "Time in which at least one of its kernels ran, per GPU, added up over GPUs", ({ busyNs }) => busyNs),
      { name: "ratio", label: "GPU busy / host", title: "Above 100 % the host was done before the GPU was", width: 120, numeric: true, firstDescending: true, csvName: "busy_by_duration", value: (at: number) => (steps[at]!.durationNs === 0 ? null : steps[at]!.busyNs / steps[at]!.durationNs), show: (at: number) => (steps[at]!.durationNs === 0 ? "—" : formatShare(steps[at]!.busyNs / steps[at]!.durationNs)) },
      count("kernels", "Kernels", ({ kernels }) => kernels),
    ] : []),
    ...(any(({ prefillRequests }) => prefillRequests) ? [count("prefill-requests", "Prefills", ({ prefillRequests }) => prefillRequests)] : []), ...(any(({ prefillTokens }) => prefillTokens) ? [count("prefill-tokens", "Prompt tokens", ({ prefillTokens }) => prefillTokens)] : []),
    ...(any(({ decodeRequests }) => decodeRequests) ? [count("decode-requests", "Decodes", ({ decodeRequests }) => decodeRequests)] : []), ...(any(({ decodeTokens }) => decodeTokens) ? [count("decode-tokens", "Decode tokens", ({ decodeTokens }) => decodeTokens)] : []),
  ];
}
