import { expect, test } from "vitest";
import { nextTableSort, parseTableSort, printTableSort, sortRows, tableCsv, type SortableColumn } from "#dashboard/parts/table-sort.ts";

const sizes = [30, null, 10, 30, 0];
const words = ["b", "a", null, "=1+1", 'say "x"'];
const column = (name: string, value: SortableColumn["value"], numeric: boolean): SortableColumn => ({ name, numeric, firstDescending: numeric, value });
const size = column("size", (row) => sizes[row]!, true);
const word = column("word", (row) => words[row]!, false);
const rows = [0, 1, 2, 3, 4];

test("rows sort both ways, those without a value last, equal ones in their order", () => {
  expect([...sortRows(rows, size, false)]).toEqual([4, 2, 0, 3, 1]);
  expect([...sortRows(rows, size, true)]).toEqual([0, 3, 2, 4, 1]);
  expect([...sortRows(rows, word, false)]).toEqual([3, 1, 0, 4, 2]);
  expect([...sortRows(rows, word, true)]).toEqual([4, 0, 1, 3, 2]);
  expect([...sortRows([3, 0], size, true)], "rows that are shown, in the order they come in").toEqual([3, 0]);
});

test("a sort reads as it is written; what is no column is the default", () => {
  const other = { column: "size", descending: true };
  expect(parseTableSort("-word", [size, word], other)).toEqual({ column: "word", descending: true });
  expect(parseTableSort("nothing", [size, word], other)).toBe(other);
  expect(parseTableSort(undefined, [size, word], other)).toBe(other);
  expect([printTableSort(other, other), printTableSort({ column: "word", descending: false }, other)]).toEqual([undefined, "word"]);
  expect([nextTableSort(other, size), nextTableSort(other, word)]).toEqual([{ column: "size", descending: false }, { column: "word", descending: false }]);
});

test("a file holds these rows and columns, numbers whole, nothing a spreadsheet would run", () => {
  const third = column("third", (row) => row / 3, true);
  expect(tableCsv([{ ...word, csvName: "the_word" }, third], [4, 3, 2])).toBe(`the_word,third\r\n"say ""x""",${4 / 3}\r\n'=1+1,1\r\n,${2 / 3}\r\n`);
});
