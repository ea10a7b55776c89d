import { expect, test } from "vitest";
import { table } from "#cli/output.ts";

test("columns are as wide as their widest cell, counted in characters; numbers flush right", () => {
  expect(table(["name", "n"], [["😀😀😀😀", "7"], ["ab", "1,234"], ["", ""]], [1])).toBe(["name      n", "😀😀😀😀      7", "ab    1,234", ""].join("\n"));
});
