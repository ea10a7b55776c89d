// Nsight Systems' SQLite export as the source core/trace/nsys reads. Only tables and columns that exist are asked for; the names come from our own list.
import { DatabaseSync } from "node:sqlite";
import { type NsysRow, type NsysSource, nsysColumns } from "#core/trace/nsys/nsys-source.ts";

export function withNsysFile<T>(path: string, use: (source: NsysSource) => T): T {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = new Set(database.prepare("PRAGMA table_list").all().map(({ name }) => String(name)));
    return use({ tables, rows: (table, columns) => rowsOf(database, table, columns) });
  } finally {
    database.close();
  }
}

function rowsOf(database: DatabaseSync, table: string, columns: readonly string[]): Iterable<NsysRow> {
  if (!Object.hasOwn(nsysColumns, table)) return [];
  const there = new Set(database.prepare(`PRAGMA table_info("${table}")`).all().map(({ name }) => String(name)));
  const asked = columns.filter((column) => there.has(column)).map((column) => `"${column}"`);
  if (asked.length === 0) return [];
  const statement = database.prepare(["SELECT", asked.join(", "), "FROM", `"${table}"`].join(" "));
  statement.setReadBigInts(true); // global thread ids need 64 bits
  return statement.iterate() as Iterable<NsysRow>;
}
