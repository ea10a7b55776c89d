// All requests that are shown, one row each, and the same as a file.
import { Download } from "lucide-react";
import { memo, useMemo } from "react";
import control from "../../parts/control.module.css";
import { saveFile } from "../../parts/save-file.ts";
import { parseTableSort, printTableSort, sortRows, tableCsv, type TableSort } from "../../parts/table-sort.ts";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { useToast } from "../../app/toasts.tsx";
import { ColumnChoice } from "./column-choice.tsx";
import { requestColumns } from "./request-columns.tsx";
import type { Selection } from "./selection.ts";
import style from "./workload-page.module.css";

const inFileOrder: TableSort = { column: "request", descending: false };

type RequestsTableProps = { readonly selection: Selection; readonly sort: string | undefined; readonly hide: string | undefined; readonly name: string } & { readonly [limit in "ttft" | "tpot" | "e2e"]: string | undefined };

export const RequestsTable = memo(function RequestsTable({ selection, sort: asked, hide, name, ttft, tpot, e2e }: RequestsTableProps) {
  const { requests, rows, selected, change } = selection;
  const toast = useToast();
  const { columns: all, missing } = useMemo(() => {
    const us = (text: string | undefined) => (text === undefined ? undefined : Number(text) * 1_000);
    return requestColumns(requests, { ttftUs: us(ttft), tpotUs: us(tpot), latencyUs: us(e2e) });
  }, [requests, ttft, tpot, e2e]);
  const hidden = useMemo(() => new Set(hide?.split(",")), [hide]);
  const columns = useMemo(() => all.filter(({ name: column }, at) => at === 0 || !hidden.has(column)), [all, hidden]);
  const sort = parseTableSort(asked, columns, inFileOrder);
  const sorted = useMemo(() => sortRows(rows, columns.find((column) => column.name === sort.column)!, sort.descending), [rows, columns, sort.column, sort.descending]);
  const save = () => {
    const file = `${name.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "workload"}-requests-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z.csv`;
    saveFile(file, tableCsv(columns, sorted), "text/csv;charset=utf-8");
    toast({ text: `Saved ${file}: ${sorted.length.toLocaleString("en-US")} requests` });
  };
  return (
    <section className={style.section} aria-label="Requests">
      <header className={style.sectionHead}>
        <h2>Requests</h2>
        {missing.length > 0 && <span className={style.fine}>not in the file: {missing.join(", ")}</span>}
        <span className={style.gap} />
        <ColumnChoice columns={all} hidden={hidden} choose={(next) => change({ hide: next.length === 0 ? undefined : next.join(",") }, true)} />
        <button type="button" className={control.button} title="These rows and columns as CSV, times in µs, numbers not rounded" onClick={save} data-testid="save-csv">
          <Download size={13} aria-hidden="true" />
          CSV
        </button>
      </header>
      <div className={style.tableBox}>
        <VirtualTable
          label="Requests"
          columns={columns}
          rows={sorted}
          sort={sort}
          onSort={(next) => change({ sort: printTableSort(next, inFileOrder) }, true)}
          selected={selected}
          onSelect={(row) => change({ request: row === null ? undefined : String(row) }, true)}
          testId="requests-table"
        />
      </div>
    </section>
  );
});
