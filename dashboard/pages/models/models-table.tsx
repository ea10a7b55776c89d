// The Models table: a real <table>. A row is opened by a click anywhere on it or by the link in its first cell.
import { Link, useNavigate } from "@tanstack/react-router";
import { printable } from "#core/printable.ts";
import type { ModelRow } from "#schema/api/models.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { formatCount } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { Machines } from "./machines.tsx";
import { columnNames, columns, nextSort, parallelismText, type Sort } from "./models-columns.ts";
import style from "./models-table.module.css";

const heads = columnNames.map((name) => ({ name, ...columns[name] }));

export function ModelsTable({
  models,
  sort,
  stale,
  onSort,
}: {
  readonly models: readonly ModelRow[];
  readonly sort: Sort;
  readonly stale: boolean; // of the sort or selection before, until the answer comes
  readonly onSort: (sort: Sort) => void;
}) {
  return (
    <ListTable label="Models table" columns={heads} sort={sort} onSort={(name) => onSort(nextSort(sort, name))} stale={stale} testId="models">
      {models.map((model) => (
        <Row key={model.id} model={model} />
      ))}
    </ListTable>
  );
}

function Row({ model }: { readonly model: ModelRow }) {
  const { tenant } = useSession();
  const navigate = useNavigate();
  const to = { to: "/t/$tenant/models/$model", params: { tenant, model: model.id }, search: keepRange as never } as const;
  return (
    <tr
      data-testid="models-row"
      data-model={model.id}
      onClick={(event) => {
        if (!(event.target as Element).closest("a") && getSelection()?.isCollapsed !== false) void navigate(to);
      }}
    >
      <th scope="row">
        <Link {...to} className={style.name}>
          {printable(model.name)}
        </Link>
        <span className={style.architecture}>{model.architecture === "" ? "architecture unknown" : printable(model.architecture)}</span>
      </th>
      <td data-numeric="true">{model.parameters === null ? <NotStored model={model} /> : <Quantity value={formatCount(model.parameters)} />}</td>
      <td data-numeric="true">{model.modules === null ? "—" : <Quantity value={formatCount(model.modules)} />}</td>
      <td data-numeric="true">{model.hosts}</td>
      <td data-numeric="true">
        <Machines count={model.machines} />
      </td>
      <td data-numeric="true">{model.processes}</td>
      <td>{parallelismText(model.parallelism)}</td>
      <td data-numeric="true">
        <Moment iso={model.firstSeen} />
      </td>
      <td data-numeric="true">
        <Moment iso={model.lastSeen} />
      </td>
    </tr>
  );
}

function NotStored({ model }: { readonly model: ModelRow }) {
  const why = model.missingStages.length > 0 ? `Pipeline stages not stored yet: ${model.missingStages.join(", ")}` : "Shape not stored yet";
  return (
    <span className={style.pending} title={why}>
      not stored yet
    </span>
  );
}
