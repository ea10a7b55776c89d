// The kernels of an execution, launched alike in one row, with where they ran and what is known of them; of a profile without a GPU its operators.
import { Download } from "lucide-react";
import { useMemo } from "react";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import { kernelSums } from "#core/trace/kernel-sums.ts";
import control from "../../parts/control.module.css";
import { formatShare } from "../../parts/number-format.ts";
import { saveFile } from "../../parts/save-file.ts";
import { parseTableSort, printTableSort, sortRows, tableCsv, type TableSort } from "../../parts/table-sort.ts";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { kernelColumns } from "./kernel-columns.tsx";
import { KernelPanel } from "./kernel-panel.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { OperatorsView } from "./operators-view.tsx";
import { fileStem } from "./save-record.tsx";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./kernels-view.module.css";

const firstSort: TableSort = { column: "time", descending: true };

export function KernelsView({ open }: { readonly open: OpenExecution }) {
  return open.record.kernels.kernel.length === 0 ? <OperatorsView open={open} /> : <Kernels open={open} />;
}

function Kernels({ open: { execution, record } }: { readonly open: OpenExecution }) {
  const [search, change] = useExecutionSearch();
  const { totals, kernels, texts, categories, kernelsLeftOut } = record;
  const sums = useMemo(() => kernelSums(record), [record]);
  const columns = useMemo(() => kernelColumns(record, sums), [record, sums]);
  const sort = parseTableSort(search.sort, columns, firstSort);
  const rows = useMemo(() => {
    const shown = sums.flatMap(({ row }, at) => (search.by === undefined || texts[kernels.category[row]!] === search.by ? [at] : []));
    return sortRows(shown, columns.find(({ name }) => name === sort.column)!, sort.descending);
  }, [sums, columns, kernels, texts, search.by, sort.column, sort.descending]);
  const selected = search.kernel === undefined || Number(search.kernel) >= sums.length ? null : Number(search.kernel);
  return (
    <div className={style.split}>
      <div className={style.main}>
        <div className={style.bar}>
          <ul className={style.categories} aria-label="What the kernels do">
            {categories.map(({ category, value, kernels: count }) => (
              <li key={category}>
                <button type="button" className={style.category} aria-pressed={search.by === category} title={plural(count, "kernel", "kernels")} onClick={() => change({ by: search.by === category ? undefined : category, kernel: undefined })} data-testid="kernel-category">
                  {printable(category)} <small>{formatShare(totals.value === 0 ? 0 : value / totals.value)}</small>
                </button>
              </li>
            ))}
          </ul>
          <button type="button" className={control.button} title="The rows shown, in their order, unrounded" onClick={() => saveFile(`${fileStem(execution)}.kernels.csv`, tableCsv(columns, rows), "text/csv;charset=utf-8")} data-testid="kernels-csv">
            <Download size={13} aria-hidden="true" />
            CSV
          </button>
        </div>
        <VirtualTable label="Kernels" columns={columns} rows={rows} sort={sort} onSort={(next) => change({ sort: printTableSort(next, firstSort) })} selected={selected} onSelect={(row) => change({ kernel: row === null ? undefined : String(row) })} testId="kernels" />
        {kernelsLeftOut > 0 && <p className={style.left}>{plural(kernelsLeftOut, "short kernel has", "short kernels have")} no room in the record; the flamegraph has all of them.</p>}
      </div>
      {selected !== null && <KernelPanel executionId={execution.id} record={record} sum={sums[selected]!} close={() => change({ kernel: undefined })} />}
    </div>
  );
}
