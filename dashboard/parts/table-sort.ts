// The order of a table's rows, and the table as a file. Rows are numbers: row 7 is the seventh of whatever the page shows.
import { csvLine } from "#core/csv-line.ts";

export type SortableColumn = {
  readonly name: string; // in the URL
  readonly numeric: boolean;
  readonly firstDescending: boolean;
  readonly value: (row: number) => number | string | null; // what rows are sorted by and a file holds; null: not known
  readonly csvName?: string; // heading in a file, where it is not the name
};

export type TableSort = { readonly column: string; readonly descending: boolean };

// "-ttft" is descending. Anything else than a column is `other`.
export function parseTableSort(text: string | undefined, columns: readonly SortableColumn[], other: TableSort): TableSort {
  const column = text?.replace(/^-/, "");
  return columns.some(({ name }) => name === column) ? { column: column!, descending: text!.startsWith("-") } : other;
}

export function printTableSort({ column, descending }: TableSort, other: TableSort): string | undefined {
  return column === other.column && descending === other.descending ? undefined : (descending ? "-" : "") + column;
}

// A click on a heading: its natural direction first, then the other one.
export function nextTableSort(sort: TableSort, { name, firstDescending }: SortableColumn): TableSort {
  return { column: name, descending: sort.column === name ? !sort.descending : firstDescending };
}

// Rows without a value come last in either direction; equal rows keep their order.
export function sortRows(rows: ArrayLike<number>, { value, numeric }: SortableColumn, descending: boolean): Int32Array {
  const sign = descending ? -1 : 1;
  const places = Int32Array.from(rows, (_, place) => place);
  if (numeric) {
    const keys = Float64Array.from(rows, (row) => {
      const key = value(row);
      return typeof key === "number" && !Number.isNaN(key) ? sign * key : Number.POSITIVE_INFINITY;
    });
    places.sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : a - b));
  } else {
    const keys = Array.from(rows, (row) => value(row)?.toString() ?? null);
    places.sort((a, b) => {
      const [left, right] = [keys[a]!, keys[b]!];
      if (left === right) return a - b;
      if (left === null || right === null) return left === null ? 1 : -1;
      return left < right ? -sign : sign;
    });
  }
  return places.map((place) => rows[place]!);
}

// Exactly these rows and columns, in this order.
export function tableCsv(columns: readonly SortableColumn[], rows: ArrayLike<number>): string {
  const lines = [csvLine(columns.map(({ name, csvName = name }) => csvName))];
  for (let place = 0; place < rows.length; place++) lines.push(csvLine(columns.map(({ value }) => value(rows[place]!))));
  return lines.join("");
}
