// Columns of one wire table: all the same length or empty (an empty one reads as zeros), row 0 = "not set". What is wrong is named by table, row and column.
import { undecodable, type ShapeProblem } from "../problem.ts";

export interface Columns<Name extends string> {
  table: string;
  rows: number; // row 0 included; 0 when the table is empty
  at(column: Name, row: number): number;
}

export function readColumns<Name extends string>(table: string, columns: Record<Name, readonly (number | bigint)[]>): Columns<Name> | ShapeProblem {
  const lengths = Object.entries<readonly unknown[]>(columns).map(([name, values]) => ({ name, length: values.length }));
  const longest = lengths.reduce((a, b) => (b.length > a.length ? b : a));
  const short = lengths.find(({ length }) => length !== 0 && length !== longest.length);
  if (short !== undefined) {
    const lengthsText = `column ${short.name} has ${short.length} rows, ${longest.name} has ${longest.length}`;
    return undecodable(`${table}: ${lengthsText}; make them equal or leave one empty`);
  }
  for (const [name, values] of Object.entries<readonly (number | bigint)[]>(columns)) {
    if (Number(values[0] ?? 0) !== 0) return undecodable(`${table}: row 0, column ${name} must be 0: row 0 means "not set"`);
  }
  return { table, rows: longest.length, at: (column, row) => Number(columns[column][row] ?? 0) };
}

export function isProblem(value: object): value is ShapeProblem {
  return "code" in value && "detail" in value;
}

// One value that points into another table of `size` rows and must be set.
export function checkIndex(columns: Columns<string>, row: number, column: string, index: number, size: number, into: string): ShapeProblem | undefined {
  if (index === 0) return undecodable(`${columns.table}: row ${row}, column ${column} is not set`);
  if (index >= size) return undecodable(`${columns.table}: row ${row}, column ${column} is ${index}, but ${into} has ${size} rows`);
  return undefined;
}
