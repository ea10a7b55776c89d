// Blocks of clickhouse/native.ts through a real ClickHouse: written as Native, read back as JSON, for every column type of tables.ts and for every table as a
// whole (so the types of tables.ts are also held to the DDL).
import { afterAll, describe, expect, test } from "vitest";
import { encodeNative, type NativeBlock, type NativeColumn } from "#clickhouse/native.ts";
import { tables, type TableName } from "#clickhouse/tables.ts";
import { openEngine } from "#test/rig/engine.ts";
import { insertBlock } from "#test/rig/store.ts";

const engine = openEngine();
afterAll(() => engine.close());
const insert = (table: string, block: NativeBlock) => insertBlock(engine, table, block);

const texts = ["", "python3.11", "NUL \0 in the middle", "Qwen 模型 🜁 é", "tab\t\"quote\" \\ '", "x".repeat(300), "ß", "\u{10ffff}", "line\nend"];
const hex = (row: number, length: number) => (row + 1).toString(16).padStart(length, "0");
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace("T", " ");

// A column of one type: what goes in, and what JSON says of it.
type Sample = { column: NativeColumn; json: unknown[] };
function sampleOf(name: string, type: string, rows: number): Sample {
  const all = <T>(value: (row: number) => T): T[] => Array.from({ length: rows }, (_, row) => value(row));
  const edge = <T>(values: readonly T[]) => all((row) => values[row % values.length]!);
  const index = Uint32Array.from(all((row) => (row * 5) % texts.length));
  const fixed = /^FixedString\((\d+)\)$/.exec(type)?.[1];
  const names = [...type.matchAll(/'(\w+)' = (\d+)/g)].map(([, word, number]) => ({ word: word!, number: Number(number) }));
  if (type.startsWith("Enum8")) return { column: { name, type, numbers: Int8Array.from(all((row) => names[row % names.length]!.number)) }, json: all((row) => names[row % names.length]!.word) };
  if (fixed !== undefined) return { column: { name, type, strings: { dictionary: all((row) => hex(row, Number(fixed))), index: Uint32Array.from(all((row) => row)) } }, json: all((row) => hex(row, Number(fixed))) };
  const inner = /^Nullable\((.+)\)$/.exec(type)?.[1];
  if (inner !== undefined) {
    const { column, json } = sampleOf(name, inner, rows);
    const nulls = Uint8Array.from(all((row) => (row % 3 === 1 ? 1 : 0)));
    return { column: { ...column, type, nulls } as NativeColumn, json: json.map((value, row) => (nulls[row] === 1 ? null : value)) };
  }
  switch (type) {
    case "String": case "LowCardinality(String)": return { column: { name, type, strings: { dictionary: texts, index } }, json: [...index].map((word) => texts[word]) };
    case "Array(String)": {
      const lists = all((row) => texts.slice(0, row % 4));
      const flat = lists.flat();
      return { column: { name, type, ends: endsOf(lists), flat: { dictionary: flat, index: Uint32Array.from(flat.keys()) } }, json: lists };
    }
    case "Array(UInt64)": {
      const lists = all((row) => [2n ** 64n - 1n, 0n, 2n ** 53n + 1n].slice(0, row % 4));
      return { column: { name, type, ends: endsOf(lists), flat: BigUint64Array.from(lists.flat()) }, json: lists.map((list) => list.map(String)) };
    }
    case "Array(Float64)": {
      const lists = all((row) => [0, -0.1, 1e300].slice(0, row % 4));
      return { column: { name, type, ends: endsOf(lists), flat: Float64Array.from(lists.flat()) }, json: lists };
    }
    case "UInt16": return { column: { name, type, numbers: Uint16Array.from(edge([0, 1, 65_535])) }, json: edge([0, 1, 65_535]) };
    case "UInt32": return { column: { name, type, numbers: Uint32Array.from(edge([0, 7, 4_294_967_295])) }, json: edge([0, 7, 4_294_967_295]) };
    case "UInt64": return { column: { name, type, numbers: BigUint64Array.from(edge([0n, 2n ** 53n + 1n, 2n ** 64n - 1n])) }, json: edge(["0", "9007199254740993", "18446744073709551615"]) };
    case "Int64": return { column: { name, type, numbers: BigInt64Array.from(edge([0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)])) }, json: edge(["0", "-1", "9223372036854775807", "-9223372036854775808"]) };
    case "Float64": return { column: { name, type, numbers: Float64Array.from(edge([0, -0.1, 1e300])) }, json: edge([0, -0.1, 1e300]) };
    case "Bool": return { column: { name, type, numbers: Uint8Array.from(edge([0, 1])) }, json: edge([false, true]) };
    case "Date": return { column: { name, type, numbers: Uint16Array.from(edge([0, 20_421, 65_535])) }, json: edge(["1970-01-01", "2025-11-29", "2149-06-06"]) };
    case "DateTime('UTC')": return { column: { name, type, numbers: Uint32Array.from(edge([0, 1_764_426_720, 4_294_967_295])) }, json: edge([0, 1_764_426_720, 4_294_967_295].map((at) => iso(at).slice(0, 19))) };
    case "DateTime64(3, 'UTC')": return { column: { name, type, numbers: BigInt64Array.from(edge([0n, 1_764_426_720_123n])) }, json: edge([iso(0).slice(0, 23), iso(1_764_426_720.123).slice(0, 23)]) };
    default: throw new Error(`no sample of ${type}: a new column type in tables.ts needs one here`);
  }
}

function endsOf(lists: readonly (readonly unknown[])[]): number[] {
  let end = 0;
  return lists.map((list) => (end += list.length));
}

const types = [...new Set<string>(Object.values(tables).flatMap((columns) => Object.values(columns)))];

test.each(types)("%s comes back as it went in", async (type) => {
  const rows = 41;
  const { column, json } = sampleOf("value", type, rows);
  await engine.command(`CREATE OR REPLACE TABLE one (row UInt32, value ${type}) ENGINE = Memory`);
  await insert("one", { rows, columns: [{ name: "row", type: "UInt32", numbers: Uint32Array.from({ length: rows }, (_, row) => row) }, column] });
  expect((await engine.query<{ value: unknown }>("SELECT value FROM one ORDER BY row")).map(({ value }) => value)).toEqual(json);
});

test.each(Object.keys(tables) as TableName[])("a whole row of %s, against the columns of the migrations", async (table) => {
  const rows = 12;
  const samples = Object.entries<string>(tables[table]).map(([name, type]) => [name, sampleOf(name, type, rows)] as const);
  // The same columns without TTL and order, so that old dates stay and rows keep their places.
  await engine.command(`CREATE TABLE copy_of_${table} AS ${table} ENGINE = Memory`);
  await insert(`copy_of_${table}`, { rows, columns: samples.map(([, { column }]) => column) });
  const found = await engine.query(`SELECT ${samples.map(([name]) => name).join(", ")} FROM copy_of_${table}`);
  expect(found).toEqual(Array.from({ length: rows }, (_, row) => Object.fromEntries(samples.map(([name, { json }]) => [name, json[row]]))));
});

test.each(Object.keys(tables) as TableName[])("no row of %s", async (table) => {
  await insert(table, { rows: 0, columns: Object.entries<string>(tables[table]).map(([name, type]) => sampleOf(name, type, 0).column) });
  expect(await engine.query(`SELECT count() AS rows FROM ${table}`)).toEqual([{ rows: "0" }]);
});

describe("low cardinality", () => {
  // Index widths: one byte up to 256 words, two up to 65,536, then four.
  test.each([1, 255, 256, 257, 65_536, 65_537, 70_000])("%i distinct words", async (words) => {
    const rows = Math.max(words, 1_000);
    const dictionary = ["never used", ...Array.from({ length: words }, (_, i) => `word ${i}`)];
    const index = Uint32Array.from({ length: rows }, (_, row) => 1 + ((row * 7) % words));
    await engine.command("CREATE OR REPLACE TABLE one (row UInt32, value LowCardinality(String)) ENGINE = Memory");
    await insert("one", { rows, columns: [{ name: "row", type: "UInt32", numbers: Uint32Array.from(index.keys()) }, { name: "value", type: "LowCardinality(String)", strings: { dictionary, index } }] });
    const wrong = await engine.query("SELECT count() AS rows, uniqExact(value) AS words, countIf(value != concat('word ', toString(row * 7 % {words:UInt32}))) AS wrong FROM one", { words });
    expect(wrong).toEqual([{ rows: String(rows), words: String(new Set(index).size), wrong: "0" }]);
  });

  test("a column of a small table seen from a large one is the column spelled out", async () => {
    const dictionary = ["", "node-1", "node-2", "node-3"];
    const [index, rows] = [[0, 3, 1, 1], Uint32Array.from({ length: 1_000 }, (_, row) => (row * 3) % 4)];
    const spelled = rows.map((row) => index[row]!);
    for (const type of ["LowCardinality(String)", "String"]) {
      const json = async (strings: Extract<NativeColumn, { strings: unknown }>["strings"]) => {
        await engine.command(`CREATE OR REPLACE TABLE one (value ${type}) ENGINE = Memory`);
        await insert("one", { rows: 1_000, columns: [{ name: "value", type, strings }] });
        return (await engine.query<{ value: string }>("SELECT value FROM one")).map(({ value }) => value);
      };
      expect(await json({ dictionary, index, rows })).toEqual([...spelled].map((word) => dictionary[word]));
    }
  });
});

test("a block of 50,000 rows of samples", async () => {
  const rows = 50_000;
  const columns = Object.entries<string>(tables.samples).map(([name, type]) => {
    if (name === "value") return { name, type, numbers: BigUint64Array.from({ length: rows }, (_, row) => BigInt(row)) };
    if (name === "retention_days") return { name, type, numbers: new Uint16Array(rows).fill(30) };
    if (name === "ts" || name === "bucket") return { name, type, numbers: new Uint32Array(rows).fill(4_000_000_000 - (4_000_000_000 % 3_600)) };
    return sampleOf(name, type, rows).column;
  });
  await insert("samples", { rows, columns });
  // The roll-up views ran on the block too.
  const [raw] = await engine.query("SELECT count() AS rows, sum(value) AS total, uniqExact(user_tags) AS tags FROM samples");
  expect(raw).toEqual({ rows: "50000", total: String((rows * (rows - 1)) / 2), tags: "4" });
  expect(await engine.query("SELECT sum(samples) AS rows, sum(value) AS total FROM samples_1h_by_exe")).toEqual([{ rows: "50000", total: String((rows * (rows - 1)) / 2) }]);
});

describe("a block that is wrong is not encoded", () => {
  const encode = (column: NativeColumn) => () => encodeNative({ rows: 2, columns: [column] });
  test.each<[string, NativeColumn, string]>([
    ["numbers of another length", { name: "a", type: "UInt16", numbers: Uint16Array.of(1) }, "column a has 1 rows, the block has 2"],
    ["texts of another length", { name: "a", type: "String", strings: { dictionary: ["x"], index: [0] } }, "column a has 1 rows, the block has 2"],
    ["texts seen from too few rows", { name: "a", type: "String", strings: { dictionary: ["x"], index: [0, 0], rows: [0] } }, "column a has 1 rows, the block has 2"],
    ["ends of another length", { name: "a", type: "Array(UInt64)", ends: [0], flat: new BigUint64Array(0) }, "column a has 1 rows, the block has 2"],
    ["ends beyond the values", { name: "a", type: "Array(UInt64)", ends: [1, 2], flat: new BigUint64Array(1) }, "column a, flat has 1 rows, the block has 2"],
    ["a fixed text of another width", { name: "a", type: "FixedString(4)", strings: { dictionary: ["abcd", "abc"], index: [0, 1] } }, "a FixedString(4) value has 3 bytes"],
    ["a fixed text of wide characters", { name: "a", type: "FixedString(4)", strings: { dictionary: ["é→"], index: [0, 0] } }, "a FixedString(4) value has 5 bytes"],
  ])("%s", (_name, column, message) => expect(encode(column)).toThrow(message));
});
