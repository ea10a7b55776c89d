import { expect, test } from "vitest";
import { blank, readInsertHead, readStatement, refuseForReader } from "#local/clickhouse/statement.ts";

const lane = (sql: string) => readStatement(sql, new Map()).lane;

test.each([
  ["SELECT 1", "read"],
  ["  -- SELECT comes later\nINSERT INTO t SELECT 1", "insert"],
  ["/* x */ with 1 AS a SELECT a", "read"],
  ["(SELECT 1) UNION ALL (SELECT 2)", "read"],
  ["EXPLAIN indexes = 1 SELECT 1", "read"],
  ["CREATE TABLE t (a UInt8) ENGINE = Memory", "define"],
  ["OPTIMIZE TABLE t FINAL", "define"],
  ["KILL QUERY WHERE query_id = 'a'", "control"],
])("%s runs in the %s lane", (sql, expected) => expect(lane(sql)).toBe(expected));

test("comments and quoted text are blanked at their own length", () => {
  const sql = `SELECT 'a;''b\\'', "c;", \`d;\` -- ; e\n/* ; */ FROM t`;
  expect(blank(sql)).toBe(`SELECT '${"_".repeat(7)}', "__", \`__\`${" ".repeat(7)}\n${" ".repeat(7)} FROM t`);
  expect(blank(sql)).toHaveLength(sql.length);
});

test("one statement a request; a semicolon in quotes, in a comment or at the end is none", () => {
  expect(() => lane("SELECT 1; SELECT 2")).toThrow("Multi-statements");
  expect(readStatement("SELECT ';' -- ;\n;  -- done", new Map()).text).toBe("SELECT ';'");
});

test("files of the machine are out of reach", () => {
  expect(() => lane("SELECT 1 INTO OUTFILE 'a'")).toThrow("OUTFILE");
  expect(() => lane("INSERT INTO t FROM INFILE 'a' FORMAT CSV")).toThrow("INFILE");
  expect(lane("SELECT 'INTO OUTFILE'")).toBe("read");
});

test.each([
  ["SELECT a FROM t SETTINGS readonly = 0"],
  ["SELECT a FROM (SELECT a FROM t settings query_cache_tag='b')"],
  ["SELECT * FROM mergeTreeIndex(lamella, samples)"],
  ["INSERT INTO t VALUES (1)"],
  ["DROP TABLE t"],
  ["SET readonly = 0"],
  ["KILL QUERY WHERE user = 'default'"],
])("the reader may not: %s", (sql) => expect(() => refuseForReader(readStatement(sql, new Map()))).toThrow("Code: 164"));

test("the query to kill is named by literal or by parameter", () => {
  expect(readStatement("KILL QUERY WHERE query_id = 'a-1' SYNC", new Map()).killId).toBe("a-1");
  expect(readStatement("kill query where query_id = {id:String}", new Map([["id", "b"]])).killId).toBe("b");
  expect(readStatement("KILL QUERY WHERE user = 'x'", new Map()).killId).toBeUndefined();
});

test.each([
  ["INSERT INTO t FORMAT Native", { head: "INSERT INTO t", settings: "", format: "Native" }, ""],
  ["insert into d.t (a, `values`) settings x=1 format JSONEachRow\n{}", { head: "insert into d.t (a, `values`)", settings: "settings x=1", format: "JSONEachRow" }, "{}"],
  ["INSERT INTO t (values) VALUES (1)", { head: "INSERT INTO t (values)", settings: "", format: "Values" }, "(1)"],
  ["INSERT INTO field_values (field, value) FORMAT CSV 1,'FORMAT x'", { head: "INSERT INTO field_values (field, value)", settings: "", format: "CSV" }, "1,'FORMAT x'"],
])("%s", (sql, expected, data) => {
  const insert = readInsertHead(sql);
  expect(insert).toMatchObject(expected);
  expect(sql.slice(insert?.dataAt)).toBe(data);
});

test.each(["INSERT INTO t SELECT 1", "INSERT INTO t (a) SELECT 1 FORMAT Null", "SELECT 1 FORMAT Native", "INSERT INTO t WITH 1 AS a SELECT a"])("no data comes with: %s", (sql) =>
  expect(readInsertHead(sql)).toBeUndefined(),
);
