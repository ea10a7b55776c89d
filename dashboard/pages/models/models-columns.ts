// The columns of the Models table: their words, how a heading sorts, and what a file of them holds. The server sorts: it knows the rows that are not here yet.
import type { ModelRow } from "#schema/api/models.ts";
import { csvLine } from "#core/csv-line.ts";

export type ColumnName = "name" | "parameters" | "modules" | "hosts" | "machines" | "processes" | "parallelism" | "firstSeen" | "lastSeen";

type Column = {
  readonly label: string;
  readonly numeric: boolean;
  readonly firstDescending: boolean;
  readonly exact: (model: ModelRow) => string | number | null; // null: not known
};

export const columns: Readonly<Record<ColumnName, Column>> = {
  name: { label: "Model", numeric: false, firstDescending: false, exact: (model) => model.name },
  parameters: { label: "Parameters", numeric: true, firstDescending: true, exact: (model) => model.parameters },
  modules: { label: "Modules", numeric: true, firstDescending: true, exact: (model) => model.modules },
  hosts: { label: "Hosts", numeric: true, firstDescending: true, exact: (model) => model.hosts },
  machines: { label: "Machines", numeric: true, firstDescending: true, exact: (model) => (model.machines > 0 ? model.machines : null) },
  processes: { label: "Processes", numeric: true, firstDescending: true, exact: (model) => model.processes },
  parallelism: { label: "Parallelism", numeric: false, firstDescending: true, exact: (model) => parallelismText(model.parallelism) },
  firstSeen: { label: "First seen", numeric: true, firstDescending: true, exact: (model) => model.firstSeen },
  lastSeen: { label: "Last seen", numeric: true, firstDescending: true, exact: (model) => model.lastSeen },
};

export const columnNames = Object.keys(columns) as ColumnName[];

export type Sort = { readonly column: ColumnName; readonly descending: boolean };
export const defaultSort: Sort = { column: "lastSeen", descending: true };

// "-lastSeen" is descending. Anything else than a column is the default.
export function parseSort(text: string | undefined): Sort {
  const descending = text?.startsWith("-") ?? false;
  const column = columnNames.find((name) => name === text?.replace(/^-/, ""));
  return column === undefined ? defaultSort : { column, descending };
}

export function printSort(sort: Sort): string | undefined {
  if (sort.column === defaultSort.column && sort.descending === defaultSort.descending) return undefined;
  return (sort.descending ? "-" : "") + sort.column;
}

// A click on a heading: its natural direction first, then the other one.
export function nextSort(sort: Sort, column: ColumnName): Sort {
  if (sort.column === column) return { column, descending: !sort.descending };
  return { column, descending: columns[column].firstDescending };
}

// TP n and PP n for sharded layouts, largest first; — otherwise.
export function parallelismText(layouts: ModelRow["parallelism"]): string {
  const texts = layouts
    .map(({ tp, pp }) => [tp > 1 ? `TP ${tp}` : "", pp > 1 ? `PP ${pp}` : ""].filter((text) => text !== "").join(" "))
    .filter((text) => text !== "");
  return texts.length === 0 ? "—" : [...new Set(texts)].join(", ");
}

// These rows as a file, in this order: the table's columns, the architecture that stands below the name in one of its own, no number rounded.
export function modelsCsv(models: readonly ModelRow[]): string {
  const [first, ...others] = columnNames;
  const lines = [csvLine([columns[first!].label, "Architecture", ...others.map((name) => columns[name].label)])];
  for (const model of models) lines.push(csvLine([columns[first!].exact(model), model.architecture, ...others.map((name) => columns[name].exact(model))]));
  return lines.join("");
}
