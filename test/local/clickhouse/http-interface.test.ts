import { createClient } from "@clickhouse/client-web";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Embedded } from "./embedded.ts";

const embedded = new Embedded();
beforeAll(async () => {
  await embedded.start();
  await embedded.write("CREATE DATABASE lamella");
  await embedded.write("CREATE TABLE lamella.points (name String, x UInt32) ENGINE = MergeTree ORDER BY (name, x)");
});
afterAll(() => embedded.remove());

const sumOf = async (name: string) => (await embedded.write("SELECT count(), sum(x) FROM lamella.points WHERE name = {name:String}", { param_name: name })).text;

test("ping needs no user; a wrong password is code 516", async () => {
  const ping = await fetch(`${embedded.clickhouse.url}/ping`);
  expect([ping.status, await ping.text()]).toEqual([200, "Ok.\n"]);
  const refused = await embedded.send("reader", "SELECT 1", { headers: { "X-ClickHouse-Key": "wrong" } });
  expect([refused.status, refused.code]).toEqual([403, "516"]);
});

test("a quota key in the header and as a parameter is refused, as a server does it", async () => {
  const both = await embedded.send("reader", "SELECT 1", { params: { quota_key: "a" }, headers: { "X-ClickHouse-Quota": "a" } });
  expect([both.status, both.code]).toEqual([400, "36"]);
  for (const named of [{ params: { quota_key: "a" } }, { headers: { "X-ClickHouse-Quota": "a" } }]) expect((await embedded.send("reader", "SELECT 1", named)).text).toBe("1");
});

const oddTexts = ["it's", "back\\\\slash", "tab\\tseparated", "newline\\n", "ünï", "a;b -- c", "{x:String}"];
test.each(oddTexts)("the parameter %j arrives as it was sent", async (value) => {
  // Values travel in the escaped text form, and TabSeparated answers in the same form; only the quote needs no escape on the way in.
  expect((await embedded.write("SELECT {value:String}", { param_value: value })).bytes.toString()).toBe(`${value.replace("'", "\\'")}\n`);
});

test("a parameter far longer than a name may be (nameBytesMax)", async () => {
  expect((await embedded.write("SELECT length({value:String})", { param_value: "m".repeat(100_000) })).bytes.toString()).toBe("100000\n");
});

// The way our own client sends every query: beyond 64 kB a URL does not leave workerd.
describe("parameters in a form", () => {
  const form = (fields: Record<string, string | Blob>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return body as unknown as string;
  };

  test.each([...oddTexts, "--boundary\r\n", "ends with \r", ""])("%j arrives as it was sent", async (value) => {
    const escaped = value.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
    expect((await embedded.write(form({ query: "SELECT {value:String}", param_value: escaped }))).bytes.toString()).toBe(`${escaped.replace("'", "\\'")}\n`);
  });

  test("many long ones, together more than a URL or one SET of the engine may have", async () => {
    const fields = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`param_${name}`, name.repeat(100_000)]));
    expect((await embedded.write(form({ query: "SELECT length(concat({a:String}, {b:String}, {c:String}, {d:String}, {e:String}, {f:String}))", ...fields }))).text).toBe("600000");
  });

  test("a field over a server's bound, a file, a field that is none, and no form are refused", async () => {
    const refused = async (body: string, headers: Record<string, string> = {}) => {
      const answer = await embedded.send("reader", body, { headers });
      return [answer.status, answer.code];
    };
    expect(await refused(form({ query: "SELECT length({a:String})", param_a: "x".repeat(131_073) }))).toEqual([500, "1000"]);
    expect(await refused(form({ query: "SELECT 1", t: new Blob(["1"]) }))).toEqual([501, "48"]);
    expect(await refused(form({ query: "SELECT 1", max_threads: "9" }))).toEqual([400, "36"]);
    expect(await refused("SELECT 1", { "content-type": "multipart/form-data; boundary=x" })).toEqual([400, "36"]);
  });

  test("data behind a statement is data there too, whatever its bytes", async () => {
    await embedded.write(form({ query: 'INSERT INTO lamella.points FORMAT JSONEachRow\n{"name":"form","x":1}\n\n{"name":"form","x":2}' }));
    expect(await sumOf("form")).toBe("2\t3");
  });
});

test("parameters and settings end with their query", async () => {
  await embedded.write("SELECT {x:UInt8}", { param_x: "7", max_block_size: "77" });
  expect((await embedded.send("writer", "SELECT {x:UInt8}")).code).toBe("456");
  expect((await embedded.write("SELECT getSetting('max_block_size')")).text).not.toBe("77");
});

test("errors carry ClickHouse's code, text and a status", async () => {
  const cases = { "SELEC 1": [400, "62"], "SELECT * FROM nothing": [404, "60"], "SELECT throwIf(1)": [500, "395"], "SELECT 1; SELECT 2": [400, "62"] };
  for (const [sql, expected] of Object.entries(cases)) {
    const { status, code, text } = await embedded.send("writer", sql);
    expect([status, code], sql).toEqual(expected);
    expect(text).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: [\\s\\S]+ \\([A-Z_]+\\)$`));
  }
  expect((await embedded.send("writer", "SELECT 1", { params: { max_threadz: "1" } })).code).toBe("115");
});

test("headers: query id, format, summary; gzip when it is asked for", async () => {
  const answer = await embedded.send("writer", "SELECT number FROM numbers(5)", {
    params: { query_id: "headers-1", default_format: "JSONEachRow", enable_http_compression: "1" },
    headers: { "Accept-Encoding": "gzip" },
  });
  expect(answer.headers.get("X-ClickHouse-Query-Id")).toBe("headers-1");
  expect(answer.headers.get("X-ClickHouse-Format")).toBe("JSONEachRow");
  expect(JSON.parse(answer.headers.get("X-ClickHouse-Summary") ?? "")).toMatchObject({ read_rows: "5" });
  expect(answer.headers.get("Content-Encoding")).toBe("gzip");
  expect(answer.text.split("\n")).toHaveLength(5);
});

// x runs through every value whose bytes are an empty line ("\n\n" is 0x0a0a = 2570): data is data, whatever its bytes.
test.each(["Native", "RowBinary", "JSONEachRow", "TabSeparated", "CSV", "JSONCompactEachRow"])("%s goes in as it comes out, plain and gzip", async (format) => {
  const source = `SELECT {name:String} AS name, toUInt32(number) AS x FROM numbers(3000) FORMAT ${format}`;
  for (const [name, pack] of [[`${format} plain`, (b: Buffer) => b], [`${format} gzip`, gzipSync]] as const) {
    const data = (await embedded.write(source, { param_name: name })).bytes;
    const headers: Record<string, string> = name.endsWith("gzip") ? { "Content-Encoding": "gzip" } : {};
    const answer = await embedded.send("writer", pack(data), { params: { query: `INSERT INTO lamella.points (name, x) FORMAT ${format}` }, headers });
    expect(answer.text).toBe("");
    expect(JSON.parse(answer.headers.get("X-ClickHouse-Summary") ?? "")).toMatchObject({ written_rows: "3000" });
    expect(await sumOf(name)).toBe(`3000\t${(2999 * 3000) / 2}`);
  }
});

test("an empty line inside the data neither ends it nor starts a statement", async () => {
  const rows = '{"name":"lines","x":1}\n\n{"name":"lines","x":2}\n\nDROP TABLE lamella.points';
  expect((await embedded.send("writer", rows, { params: { query: "INSERT INTO lamella.points FORMAT JSONEachRow" } })).status).toBe(400);
  expect(await sumOf("lines")).toBe("0\t0");
  await embedded.write(rows.slice(0, rows.indexOf("\n\nDROP")), { query: "INSERT INTO lamella.points FORMAT JSONEachRow" });
  expect(await sumOf("lines")).toBe("2\t3");
});

test("statement and data may share the body, the URL, or both", async () => {
  await embedded.write("INSERT INTO lamella.points (name, x) VALUES ('body', 1), ('body', 2)");
  await embedded.write('INSERT INTO lamella.points FORMAT JSONEachRow\n{"name":"body","x":4}\n\n{"name":"body","x":8}\n');
  await embedded.write("", { query: 'INSERT INTO lamella.points FORMAT JSONEachRow {"name":"body","x":16}\n\n{"name":"body","x":32}' });
  await embedded.write("('body', 64), ('body', 128)", { query: "INSERT INTO lamella.points (name, x) VALUES" });
  expect(await sumOf("body")).toBe("8\t255");
});

test("truncated gzip and a truncated block store nothing", async () => {
  const block = (await embedded.write("SELECT 'cut' AS name, toUInt32(number) AS x FROM numbers(100) FORMAT Native")).bytes;
  const query = "INSERT INTO lamella.points (name, x) FORMAT Native";
  expect((await embedded.send("writer", block.subarray(0, 200), { params: { query } })).status).toBe(500);
  expect((await embedded.send("writer", gzipSync(block).subarray(0, -12), { params: { query }, headers: { "Content-Encoding": "gzip" } })).status).toBe(500);
  expect(gunzipSync(gzipSync(block))).toEqual(block);
  expect(await sumOf("cut")).toBe("0\t0");
});

test.each([["the URL", false], ["a form", true]])("@clickhouse/client-web: query, parameters in %s, insert, error, ping", async (name, multipart) => {
  const { user, password } = embedded.clickhouse.credentials.writer;
  const client = createClient({ url: embedded.clickhouse.url, username: user, password, database: "lamella", compression: { response: true }, use_multipart_params: multipart });
  await client.insert({ table: "points", values: [{ name, x: 1 }, { name, x: 2 }], format: "JSONEachRow" });
  const result = await client.query({
    query: "SELECT name, sum(x) AS total FROM points WHERE name IN ({names:Array(String)}) GROUP BY name",
    query_params: { names: [name, "it's\n"] },
    format: "JSONEachRow",
    clickhouse_settings: { max_threads: 1, output_format_json_quote_64bit_integers: 1 },
  });
  expect(await result.json()).toEqual([{ name, total: "3" }]);
  await expect(client.query({ query: "SELECT * FROM nothing" })).rejects.toMatchObject({ code: "60", type: "UNKNOWN_TABLE" });
  expect((await client.ping()).success).toBe(true);
  await client.close();
});
