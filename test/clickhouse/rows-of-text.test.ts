// Rows of an answer in the format JSONEachRow, whole or broken off by an error that came after the first of them.
import { expect, test } from "vitest";
import { rowsOfText } from "#clickhouse/client.ts";
import { StoreError } from "#clickhouse/store-error.ts";

test("each line is a row, whatever its texts hold", () => {
  expect(rowsOfText('{"a":"1"}\n{"a":"x\\ny\\r\\n__exception__","b":["Code: 241. DB::Exception"]}\n')).toEqual([{ a: "1" }, { a: "x\ny\r\n__exception__", b: ["Code: 241. DB::Exception"] }]);
  expect([rowsOfText(""), rowsOfText("\n")]).toEqual([[], []]);
});

test.each([
  ["as servers from 25.11 on mark it", '{"a":1}\n\r\n__exception__\r\nabcdefghijklmnop\r\nCode: 241. DB::Exception: Memory limit exceeded: would use 4 GiB. (MEMORY_LIMIT_EXCEEDED)\n88 abcdefghijklmnop\r\n__exception__\r\n'],
  ["as older ones wrote it", '{"a":1}\nCode: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)\n'],
])("an error after the first rows is that error, %s", (_how, text) => {
  const thrown = (() => {
    try {
      return rowsOfText(text);
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(StoreError);
  expect(thrown).toMatchObject({ kind: "heavy", code: 241 });
});

test("a text that is neither is no answer", () => expect(() => rowsOfText('{"a":1}\n{"a":')).toThrow(SyntaxError));
