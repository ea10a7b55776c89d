// One columnar table of an upload message while it is read: count every column, judge the bounds, then fill arrays of exactly the counted length. A table that
// comes in several pieces is one table, as protobuf has it; a column this version does not know is skipped.
import { type Limit, limits } from "#schema/limits.ts";
import { exceed, refuse } from "./upload-problem.ts";
import { countNumbers, type Field, fieldsOf, fillUint32, fillUint64, unzigzag, WireError } from "#core/wire.ts";

export type U32 = Uint32Array<ArrayBuffer>;

export class ColumnTable {
  readonly name: string;
  readonly #columns: readonly string[]; // by field number − 1
  readonly #wide: ReadonlySet<string>; // columns of 64-bit numbers
  readonly #counts: Uint32Array;
  readonly #filled: Uint32Array;
  readonly #arrays = new Map<number, U32>();

  constructor(name: string, columns: readonly string[], wide: readonly string[] = []) {
    this.name = name;
    this.#columns = columns;
    this.#wide = new Set(wide);
    this.#counts = new Uint32Array(columns.length);
    this.#filled = new Uint32Array(columns.length);
  }

  count(bytes: Uint8Array, table: Field): void {
    if (table.wireType !== 2) throw new WireError(`${this.name} is not a message`, table.start);
    for (const field of fieldsOf(bytes, table.start, table.end)) {
      if (field.number <= this.#columns.length) this.#counts[field.number - 1]! += countNumbers(bytes, field);
    }
  }

  fill(bytes: Uint8Array, table: Field): void {
    for (const field of fieldsOf(bytes, table.start, table.end)) {
      const column = field.number - 1;
      if (column >= this.#columns.length) continue;
      const wide = this.#wide.has(this.#columns[column]!);
      let array = this.#arrays.get(column);
      if (array === undefined) this.#arrays.set(column, (array = new Uint32Array(this.#counts[column]! * (wide ? 2 : 1))));
      this.#filled[column] = (wide ? fillUint64 : fillUint32)(bytes, field, array, this.#filled[column]!);
    }
  }

  // Length of the longest of the columns that have one element a row.
  rows(columns: readonly string[], limit: Limit): number {
    const rows = columns.reduce((most, name) => Math.max(most, this.length(name)), 0);
    if (rows > limits[limit]) exceed(`${this.name}, rows`, rows, limit, limits[limit]);
    for (const name of columns) {
      const length = this.length(name);
      if (length !== 0 && length !== rows) {
        refuse(`${this.name}.${name} has ${length} rows where the table has ${rows}; all columns of a table have the same length or are empty`);
      }
    }
    return rows;
  }

  length(name: string): number {
    return this.#counts[this.#columns.indexOf(name)]!;
  }

  // An absent column reads as zeros.
  uint32(name: string, rows: number): U32 {
    return this.#array(name) ?? new Uint32Array(rows);
  }

  sint32(name: string, rows: number): Int32Array<ArrayBuffer> {
    return unzigzag(this.uint32(name, rows));
  }

  uint64(name: string, rows: number): BigUint64Array<ArrayBuffer> {
    const halves = this.#array(name);
    return halves === undefined ? new BigUint64Array(rows) : new BigUint64Array(halves.buffer);
  }

  #array(name: string): U32 | undefined {
    const array = this.#arrays.get(this.#columns.indexOf(name));
    return array === undefined || array.length === 0 ? undefined : array;
  }
}
