// The Executions table: a real <table>. A row is opened by a click anywhere on it or by the link in its first cell.
import { Link, useNavigate } from "@tanstack/react-router";
import { printable } from "#core/printable.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { formatCount, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { nextTableSort, type TableSort } from "../../parts/table-sort.ts";
import { moduleShare, type ExecutionColumn } from "./executions-columns.ts";
import style from "./executions.module.css";

export type ExecutionsTableProps = {
  readonly executions: readonly ExecutionSummary[]; // in the order shown
  readonly columns: readonly ExecutionColumn[];
  readonly sort: TableSort;
  readonly onSort: (sort: TableSort) => void;
};

export function ExecutionsTable({ executions, columns, sort, onSort }: ExecutionsTableProps) {
  return (
    <ListTable
      label="Executions table"
      columns={columns}
      sort={sort}
      onSort={(name) => onSort(nextTableSort(sort, columns.find((column) => column.name === name)!))}
      dense
      testId="executions"
    >
      {executions.map((execution) => (
        <Row key={execution.id} execution={execution} />
      ))}
    </ListTable>
  );
}

export const pathSourceWords: Record<ExecutionSummary["pathSource"], readonly [string, string]> = {
  recorded: ["recorded", "The recorder wrote the module paths into the file."],
  aligned: ["aligned", "Module paths were found by aligning the trace with a stored shape."],
  inferred: ["inferred", "The file carries no module paths. Modules are named Class[n] in order of first call: comparable inside this file only."],
  none: ["none", "The file names no modules."],
};

function Row({ execution }: { readonly execution: ExecutionSummary }) {
  const { tenant } = useSession();
  const navigate = useNavigate();
  const to = { to: "/t/$tenant/executions/$execution", params: { tenant, execution: execution.id }, search: keepRange as never } as const;
  const { unit, label } = profileTypes[execution.profileType];
  const share = moduleShare(execution);
  const [paths, why] = pathSourceWords[execution.pathSource];
  return (
    <tr
      data-testid="executions-row"
      data-execution={execution.id}
      data-complete={execution.complete}
      onClick={(event) => {
        if (!(event.target as Element).closest("a") && getSelection()?.isCollapsed !== false) void navigate(to);
      }}
    >
      <th scope="row">
        <Link {...to} className={style.name} title={printable(execution.name)}>
          {printable(execution.name)}
        </Link>
        <span className={style.beside}>
          <code>{execution.id.slice(0, 12)}</code>
          {!execution.complete && (
            <b className={style.incomplete} title="Its parts are still arriving, or an import was interrupted: import the same file again to complete it.">
              incomplete: {execution.parts.stored} of {execution.parts.of} parts
            </b>
          )}
        </span>
      </th>
      <td className={style.cut} title={printable(execution.device)}>
        {printable(execution.device) || "—"}
      </td>
      <td className={style.cut} title={printable(execution.modelName)}>
        {printable(execution.modelName) || "—"}
      </td>
      <td>{label}</td>
      <td data-numeric="true">{execution.profileType === "cuda" ? <Quantity value={formatCount(execution.kernels)} /> : "—"}</td>
      <td data-numeric="true">
        <Quantity value={formatValue(execution.totalValue, unit)} />
      </td>
      <td data-numeric="true">{share === null ? "—" : formatShare(share)}</td>
      <td title={why}>{paths}</td>
      <td data-numeric="true">{execution.recordedAt === null ? <span title="The file has no absolute time">—</span> : <Moment iso={execution.recordedAt} />}</td>
      <td data-numeric="true">
        <Moment iso={execution.importedAt} />
      </td>
    </tr>
  );
}
