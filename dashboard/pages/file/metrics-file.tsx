// The series of a metrics dump, sortable, and as CSV.
import { Download } from "lucide-react";
import { useMemo } from "react";
import type { MetricRow } from "#core/file-view/metrics-rows.ts";
import { durationText, shareText } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import { bytesText } from "#core/shape/number-text.ts";
import type { ChangeFile, FileSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { formatCount } from "../../parts/number-format.ts";
import { saveFile } from "../../parts/save-file.ts";
import type { TableColumn } from "../../parts/table-column.ts";
import { parseTableSort, printTableSort, sortRows, tableCsv, type TableSort } from "../../parts/table-sort.ts";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import type { OpenedFile } from "./file-messages.ts";
import style from "./file-page.module.css";

const inOrder: TableSort = { column: "metric", descending: false };

type MetricsFileProps = { readonly opened: OpenedFile & { readonly kind: "metrics" }; readonly search: FileSearch; readonly change: ChangeFile };

export function MetricsFile({ opened: { table, readings }, search, change }: MetricsFileProps) {
  const { rows, notListed } = table;
  const columns = useMemo(() => columnsOf(rows, readings > 1), [rows, readings]);
  const sort = parseTableSort(search.sort, columns, inOrder);
  const order = useMemo(() => sortRows(Array.from(rows.keys()), columns.find(({ name }) => name === sort.column)!, sort.descending), [rows, columns, sort.column, sort.descending]);
  const selected = Number(search.request ?? Number.NaN);
  return (
    <>
      <div className={style.runs}>
        <span data-testid="metrics-count">
          {rows.length.toLocaleString("en-US")} series{notListed > 0 && `; ${notListed.toLocaleString("en-US")} buckets and quantiles of distributions are not listed`}
        </span>
        <button type="button" className={control.button} onClick={() => saveFile("metrics.csv", tableCsv(columns, order), "text/csv;charset=utf-8")}>
          <Download size={13} aria-hidden="true" />
          CSV
        </button>
      </div>
      <VirtualTable
        label="Engine metrics"
        columns={columns}
        rows={order}
        sort={sort}
        onSort={(next) => change({ sort: printTableSort(next, inOrder) }, true)}
        selected={selected < rows.length ? selected : null}
        onSelect={(row) => change({ request: row === null ? undefined : String(row) }, true)}
        testId="metrics-table"
      />
    </>
  );
}

function columnsOf(rows: readonly MetricRow[], moved: boolean): TableColumn[] {
  const text = (name: string, label: string, width: number, of: (row: MetricRow) => string): TableColumn => ({
    name, label, width, numeric: false, firstDescending: false, value: (row) => of(rows[row]!), show: (row) => <span title={printable(of(rows[row]!))}>{printable(of(rows[row]!)) || "—"}</span>,
  });
  const number = (name: string, label: string, title: string, of: (row: MetricRow) => number | null, unitless = false): TableColumn => ({
    name, label, title, width: 110, numeric: true, firstDescending: true, value: (row) => of(rows[row]!), show: (row) => valueText(of(rows[row]!), unitless ? "" : rows[row]!.unit),
  });
  return [
    { ...text("metric", "Metric", 260, ({ metric }) => metric), show: (row) => <span title={rows[row]!.title || "Under the engine's own name"}>{printable(rows[row]!.metric)}</span> },
    text("kind", "Kind", 96, ({ kind }) => kind),
    number("value", "Value", "The last reading; of a distribution the mean", ({ value }) => value),
    number("count", "Observed", "Observations of a distribution", ({ count }) => count, true),
    ...(moved ? [number("change", "Change", "Of a counter, since the first reading", ({ change }) => change)] : []),
    text("unit", "Unit", 90, ({ unit }) => unit),
    text("engine", "Engine", 90, ({ engine }) => engine),
    text("model", "Model", 180, ({ modelName }) => modelName),
    text("labels", "Labels", 260, ({ labels }) => labels),
  ];
}

function valueText(value: number | null, unit: string) {
  if (value === null) return "—";
  const exact = `${value}${unit === "" ? "" : ` ${unit}`}`;
  const rounded = unit === "ratio" ? shareText(value) : unit === "seconds" ? durationText(Math.round(value * 1e9)) : unit === "bytes" ? bytesText(value) : Math.abs(value) < 10_000 ? String(Number(value.toPrecision(4))) : formatCount(value).text;
  return <span title={exact}>{rounded}</span>;
}
