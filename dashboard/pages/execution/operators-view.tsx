// The operators of an execution without GPU kernels, on the host, with what they call; those of one name are one row.
import { Download } from "lucide-react";
import { useMemo } from "react";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import { type OperatorSum, operatorSums } from "#core/trace/operator-sums.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import control from "../../parts/control.module.css";
import { formatCount, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { Empty } from "../../parts/states.tsx";
import type { TableColumn } from "../../parts/table-column.ts";
import { parseTableSort, printTableSort, sortRows, tableCsv, type TableSort } from "../../parts/table-sort.ts";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { fileStem } from "./save-record.tsx";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./kernels-view.module.css";

const firstSort: TableSort = { column: "time", descending: true };

export function OperatorsView({ open: { execution, record } }: { readonly open: OpenExecution }) {
  const [search, change] = useExecutionSearch();
  const sums = useMemo(() => operatorSums(record), [record]);
  const columns = useMemo(() => operatorColumns(record, sums), [record, sums]);
  const sort = parseTableSort(search.sort, columns, firstSort);
  const rows = useMemo(() => sortRows(sums.map((_, at) => at), columns.find(({ name }) => name === sort.column)!, sort.descending), [sums, columns, sort.column, sort.descending]);
  if (sums.length === 0) return <Empty title="No kernels and no operators" testId="no-kernels"><p>The file holds neither. The flamegraph shows its stacks.</p></Empty>;
  return (
    <div className={style.main}>
      <div className={style.bar}>
        <p className={style.none}>No GPU kernels in this profile: these are its operators. Record with ProfilerActivity.CUDA in activities, on a machine with a GPU, to have kernels.</p>
        <button type="button" className={control.button} onClick={() => saveFile(`${fileStem(execution)}.operators.csv`, tableCsv(columns, rows), "text/csv;charset=utf-8")} data-testid="kernels-csv">
          <Download size={13} aria-hidden="true" />
          CSV
        </button>
      </div>
      <VirtualTable label="Operators" columns={columns} rows={rows} sort={sort} onSort={(next) => change({ sort: printTableSort(next, firstSort) })} selected={search.kernel === undefined ? null : Number(search.kernel)} onSelect={(row) => change({ kernel: row === null ? undefined : String(row) })} testId="operators" />
      {record.operationsLeftOut > 0 && <p className={style.left}>{plural(record.operationsLeftOut, "short operator has", "short operators have")} no room in the record; the flamegraph has all of them.</p>}
    </div>
  );
}

function operatorColumns(record: ExecutionRecord, sums: readonly OperatorSum[]): TableColumn[] {
  const most = Math.max(1, ...sums.map(({ cpuNs }) => cpuNs));
  return [
    { name: "op", label: "Operator", width: 360, numeric: false, firstDescending: false, value: (at) => record.texts[sums[at]!.op]!, show: (at) => <code>{printable(record.texts[sums[at]!.op]!)}</code> },
    { name: "time", label: "Time on the host", title: "With what it calls", width: 150, numeric: true, firstDescending: true, csvName: "time_ns", value: (at) => sums[at]!.cpuNs, show: (at) => <Quantity value={formatValue(sums[at]!.cpuNs, "ns")} />, bar: { colour: "var(--border-strong)", share: (at) => sums[at]!.cpuNs / most } },
    { name: "calls", label: "Calls", width: 100, numeric: true, firstDescending: true, value: (at) => sums[at]!.calls, show: (at) => <Quantity value={formatCount(sums[at]!.calls)} /> },
    { name: "each", label: "each", title: "Mean time of a call", width: 110, numeric: true, firstDescending: true, csvName: "each_ns", value: (at) => sums[at]!.cpuNs / sums[at]!.calls, show: (at) => formatValue(Math.round(sums[at]!.cpuNs / sums[at]!.calls), "ns").text },
  ];
}
