// The columns of the list of benchmark runs. A figure that is not known is —, never 0.
import { Link } from "@tanstack/react-router";
import { printable } from "#core/printable.ts";
import { loadText } from "#core/workload/load.ts";
import type { WorkloadSummary } from "#schema/api/workloads.ts";
import { keepRange } from "../../app/keep-range.ts";
import { Moment } from "../../parts/moment.tsx";
import { formatCount, formatMs, formatRate, type Formatted } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { TableColumn } from "../../parts/table-column.ts";
import style from "./workloads-page.module.css";

export function workloadsColumns(tenant: string, workloads: readonly WorkloadSummary[]): readonly TableColumn[] {
  const of = (row: number) => workloads[row]!;
  const text = (name: string, label: string, width: number, value: (one: WorkloadSummary) => string): TableColumn => ({
    name, label, width, numeric: false, firstDescending: false, value: (row) => value(of(row)).toLowerCase() || null,
    show: (row) => <span title={printable(value(of(row)))}>{printable(value(of(row))) || "—"}</span>,
  });
  const number = (name: string, label: string, unit: string, width: number, value: (one: WorkloadSummary) => number | undefined, format: (value: number) => Formatted): TableColumn => ({
    name, label, width, numeric: true, ...(unit === "" ? {} : { unit }), firstDescending: true, value: (row) => value(of(row)) ?? null,
    show: (row) => {
      const known = value(of(row));
      return known === undefined ? <span title="Neither the file nor its requests give it">—</span> : <Quantity value={format(known)} />;
    },
  });
  return [
    {
      name: "name", label: "Run", width: 220, numeric: false, firstDescending: false, value: (row) => of(row).name.toLowerCase(),
      show: (row) => <Name tenant={tenant} workload={of(row)} />,
    },
    text("tool", "Tool", 116, ({ tool, toolVersion }) => `${tool} ${toolVersion}`.trim()),
    text("model", "Model", 150, ({ modelName }) => modelName),
    text("engine", "Engine", 72, ({ engine }) => engine),
    text("load", "Load", 160, ({ load }) => loadText(load)),
    number("requests", "Requests", "", 82, ({ requests, figures }) => (requests > 0 ? requests : figures.completed === undefined ? undefined : figures.completed + (figures.failed ?? 0)), formatCount),
    number("failed", "Failed", "", 64, ({ figures }) => figures.failed, formatCount),
    number("output", "Output", "tok/s", 100, ({ figures }) => figures.outputTokensPerS, formatRate),
    number("ttft50", "TTFT p50", "ms", 98, ({ figures }) => figures.ttftP50Us, formatMs),
    number("ttft99", "TTFT p99", "ms", 98, ({ figures }) => figures.ttftP99Us, formatMs),
    number("tpot50", "TPOT p50", "ms", 98, ({ figures }) => figures.tpotP50Us, formatMs),
    number("tpot99", "TPOT p99", "ms", 98, ({ figures }) => figures.tpotP99Us, formatMs),
    { name: "imported", label: "Imported", width: 92, numeric: true, firstDescending: true, value: (row) => Date.parse(of(row).importedAt), show: (row) => <Moment iso={of(row).importedAt} /> },
  ];
}

function Name({ tenant, workload: { id, name, label, complete, parts } }: { readonly tenant: string; readonly workload: WorkloadSummary }) {
  if (!complete)
    return (
      <span className={style.arriving} title="A run is shown when all of it is stored">
        {printable(name)} · {parts.stored} of {parts.of} parts stored
      </span>
    );
  return (
    <Link to="/t/$tenant/workloads/$workload" params={{ tenant, workload: id }} search={keepRange as never} className={style.name} title={printable(label === "" ? name : `${name} · ${label}`)}>
      {printable(name)}
    </Link>
  );
}
