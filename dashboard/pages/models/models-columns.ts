// The columns of the Models table: their words, what they sort by, and the order of rows. Equal rows keep their order.
import type { ModelRow } from "#schema/api/models.ts";

export type ColumnName = "name" | "parameters" | "modules" | "hosts" | "machines" | "processes" | "parallelism" | "firstSeen" | "lastSeen";

type Column = {
  readonly label: string;
  readonly numeric: boolean;
  readonly firstDescending: boolean;
  readonly key: (model: ModelRow) => string | number;
};

export const columns: Readonly<Record<ColumnName, Column>> = {
  name: { label: "Model", numeric: false, firstDescending: false, key: (model) => model.name.toLowerCase() },
  parameters: { label: "Parameters", numeric: true, firstDescending: true, key: (model) => model.parameters ?? -1 },
  modules: { label: "Modules", numeric: true, firstDescending: true, key: (model) => model.modules ?? -1 },
  hosts: { label: "Hosts", numeric: true, firstDescending: true, key: (model) => model.hosts },
  machines: { label: "Machines", numeric: true, firstDescending: true, key: (model) => model.machines },
  processes: { label: "Processes", numeric: true, firstDescending: true, key: (model) => model.processes },
  parallelism: {
    label: "Parallelism",
    numeric: false,
    firstDescending: true,
    key: (model) => Math.max(0, ...model.parallelism.map(({ tp, pp }) => tp * pp)),
  },
  firstSeen: { label: "First seen", numeric: true, firstDescending: true, key: (model) => Date.parse(model.firstSeen) },
  lastSeen: { label: "Last seen", numeric: true, firstDescending: true, key: (model) => Date.parse(model.lastSeen) },
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

export function sortModels(models: readonly ModelRow[], sort: Sort): ModelRow[] {
  const key = columns[sort.column].key;
  const sign = sort.descending ? -1 : 1;
  return [...models].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return left < right ? -sign : left > right ? sign : 0;
  });
}

// TP n and PP n for sharded layouts, largest first; — otherwise.
export function parallelismText(layouts: ModelRow["parallelism"]): string {
  const texts = layouts
    .map(({ tp, pp }) => [tp > 1 ? `TP ${tp}` : "", pp > 1 ? `PP ${pp}` : ""].filter((text) => text !== "").join(" "))
    .filter((text) => text !== "");
  return texts.length === 0 ? "—" : [...new Set(texts)].join(", ");
}
