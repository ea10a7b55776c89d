// ClickHouse's Native format, one block: column after column, little endian. 100 k rows take the engine 35 ms this way against 204 ms as JSON lines, and
// less than half of the bytes on the wire. Only the column types our tables use exist here; the round trip through the engine is tested for each.

// Row i holds dictionary[index[i]]; with `rows`, it holds dictionary[index[rows[i]]]: a column of a small table seen from a large one.
export type Strings = { readonly dictionary: readonly string[]; readonly index: ArrayLike<number>; readonly rows?: ArrayLike<number> };

export type Numbers = Uint8Array | Int8Array | Uint16Array | Uint32Array | BigInt64Array | BigUint64Array | Float64Array;

// One column. Numbers are the raw typed array of the type's width; `nulls` (1 = NULL) are there exactly when the type is Nullable. A FixedString holds texts of equal
// length. Arrays are end offsets plus flat values.
export type NativeColumn =
  | { readonly name: string; readonly type: string; readonly numbers: Numbers; readonly nulls?: Uint8Array }
  | { readonly name: string; readonly type: string; readonly strings: Strings }
  | { readonly name: string; readonly type: string; readonly ends: ArrayLike<number>; readonly flat: BigUint64Array | Float64Array | Strings };

export type NativeBlock = { readonly rows: number; readonly columns: readonly NativeColumn[] };

// Low-cardinality columns go as dictionary + narrow indices, as the server itself writes them: version 1, then (needs update | additional keys | index width).
const lowCardinalityVersion = 1;
const lowCardinalityFlags = 0x600;

export function encodeNative(block: NativeBlock): Uint8Array {
  const out = new ByteSink();
  out.varuint(block.columns.length);
  out.varuint(block.rows);
  for (const column of block.columns) {
    out.text(column.name);
    out.text(column.type);
    if (block.rows > 0) writeColumn(out, column, block.rows);
  }
  return out.bytes();
}

function writeColumn(out: ByteSink, column: NativeColumn, rows: number): void {
  if ("numbers" in column) {
    expectRows(column.name, column.numbers.length, rows);
    if (column.type.startsWith("Nullable(") || column.nulls !== undefined) {
      expectRows(`${column.name}, nulls of ${column.type}`, column.nulls?.length ?? 0, column.type.startsWith("Nullable(") ? rows : 0);
      out.raw(column.nulls!);
    }
    out.raw(column.numbers);
  } else if ("strings" in column) {
    expectRows(column.name, rowsOf(column.strings), rows);
    if (column.type === "LowCardinality(String)") writeLowCardinality(out, column.strings);
    else writeStrings(out, column.strings, fixedWidth(column.type));
  } else {
    expectRows(column.name, column.ends.length, rows);
    expectRows(`${column.name}, flat`, "dictionary" in column.flat ? rowsOf(column.flat) : column.flat.length, column.ends[rows - 1]!);
    out.raw(Uint32Array.from({ length: rows * 2 }, (_, half) => (half % 2 === 0 ? column.ends[half / 2]! : 0))); // 64-bit offsets
    if ("dictionary" in column.flat) writeStrings(out, column.flat, null);
    else out.raw(column.flat);
  }
}

const rowsOf = ({ index, rows }: Strings): number => (rows ?? index).length;

function writeLowCardinality(out: ByteSink, { dictionary, index, rows }: Strings): void {
  // Only the words that the index names travel, renumbered, so that one wide dictionary can feed every column. 0 = not seen yet, else the number + 1.
  const renumbered = new Uint32Array(dictionary.length);
  const used: number[] = [];
  const local = new Uint32Array(index.length);
  for (let i = 0; i < index.length; i++) {
    const word = index[i]!;
    if (renumbered[word] === 0) renumbered[word] = used.push(word);
    local[i] = renumbered[word]! - 1;
  }
  const width = used.length <= 0x100 ? 0 : used.length <= 0x1_0000 ? 1 : 2;
  out.uint64(lowCardinalityVersion);
  out.uint64(lowCardinalityFlags | width);
  out.uint64(used.length);
  for (const word of used) out.text(dictionary[word]!);
  const length = (rows ?? index).length;
  out.uint64(length);
  const narrow = width === 0 ? new Uint8Array(length) : width === 1 ? new Uint16Array(length) : new Uint32Array(length);
  if (rows === undefined) narrow.set(local);
  else for (let row = 0; row < length; row++) narrow[row] = local[rows[row]!]!;
  out.raw(narrow);
}

function fixedWidth(type: string): number | null {
  const width = /^FixedString\((\d+)\)$/.exec(type)?.[1];
  return width === undefined ? null : Number(width);
}

function writeStrings(out: ByteSink, { dictionary, index, rows }: Strings, width: number | null): void {
  const length = (rows ?? index).length;
  for (let row = 0; row < length; row++) {
    const text = dictionary[index[rows === undefined ? row : rows[row]!]!]!;
    if (width === null) out.text(text);
    else out.fixed(text, width);
  }
}

function expectRows(name: string, found: number, rows: number): void {
  if (found !== rows) throw new Error(`column ${name} has ${found} rows, the block has ${rows}`);
}

const encoder = new TextEncoder();

class ByteSink {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  raw(values: ArrayBufferView): void {
    this.#reserve(values.byteLength);
    this.#bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), this.#length);
    this.#length += values.byteLength;
  }

  // At most 32 bits.
  varuint(value: number): void {
    this.#reserve(5);
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  // A number below 2^32 in eight bytes.
  uint64(value: number): void {
    this.raw(Uint32Array.of(value, 0));
  }

  // Length and bytes. Nearly all words are ASCII and are written in place, one byte a character; anything else goes through the encoder.
  text(value: string): void {
    const at = this.#length;
    this.varuint(value.length);
    if (this.#ascii(value)) return;
    this.#length = at;
    const bytes = encoder.encode(value);
    this.varuint(bytes.length);
    this.raw(bytes);
  }

  fixed(value: string, width: number): void {
    const at = this.#length;
    if (!this.#ascii(value)) this.raw(encoder.encode(value));
    if (this.#length - at !== width) throw new Error(`a FixedString(${width}) value has ${this.#length - at} bytes`);
  }

  // False, with nothing written, when a character takes more than one byte.
  #ascii(value: string): boolean {
    this.#reserve(value.length);
    const bytes = this.#bytes;
    const at = this.#length;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return false;
      bytes[at + i] = code;
    }
    this.#length = at + value.length;
    return true;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
