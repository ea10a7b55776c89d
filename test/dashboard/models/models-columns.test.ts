import { describe, expect, test } from "vitest";
import type { ModelRow } from "#schema/api/models.ts";
import { columnNames, columns, modelsCsv, nextSort, parallelismText, parseSort, printSort } from "#dashboard/pages/models/models-columns.ts";

const model = (name: string, more: Partial<ModelRow> = {}): ModelRow => ({
  id: name,
  shapeId: null,
  modelKeys: [],
  name,
  architecture: "",
  parameters: null,
  modules: null,
  weightBytes: null,
  hosts: 1,
  machines: 1,
  processes: 1,
  parallelism: [],
  missingStages: [],
  firstSeen: "2026-11-01T00:00:00Z",
  lastSeen: "2026-11-01T00:00:00Z",
  sources: ["live"],
  ...more,
});

test("the columns are those of the Models page, in its words", () => {
  expect(columnNames.map((name) => columns[name].label)).toEqual([
    "Model",
    "Parameters",
    "Modules",
    "Hosts",
    "Machines",
    "Processes",
    "Parallelism",
    "First seen",
    "Last seen",
  ]);
});

describe("sorting", () => {
  test("the URL holds it, and nothing when it is the default", () => {
    for (const column of columnNames)
      for (const descending of [true, false]) expect(parseSort(printSort({ column, descending }))).toEqual({ column, descending });
    expect(printSort(parseSort(undefined))).toBeUndefined();
    expect(parseSort("-nonsense")).toEqual(parseSort(undefined));
  });
  test("a heading sorts its natural way first, then the other", () => {
    const first = nextSort(parseSort(undefined), "parameters");
    expect(first).toEqual({ column: "parameters", descending: true });
    expect(nextSort(first, "parameters").descending).toBe(false);
  });
});

test.each([
  [[], "—"],
  [[{ tp: 1, pp: 1 }], "—"],
  [[{ tp: 4, pp: 1 }], "TP 4"],
  [[{ tp: 1, pp: 2 }], "PP 2"],
  [
    [
      { tp: 8, pp: 2 },
      { tp: 16, pp: 1 },
    ],
    "TP 8 PP 2, TP 16",
  ],
])("layouts %j read %s", (layouts, text) => expect(parallelismText(layouts)).toBe(text));

test("a file has the rows and columns shown, unrounded; what is not known is empty, and no cell is a formula", () => {
  const rows = [
    model("=cmd()", { architecture: 'Net, "big"', parameters: 32_762_123_264, modules: 967, hosts: 2, machines: 0, processes: 8, parallelism: [{ tp: 4, pp: 1 }], lastSeen: "2026-11-02T00:00:00Z" }),
    model("b"),
  ];
  expect(modelsCsv(rows).split("\r\n")).toEqual([
    "Model,Architecture,Parameters,Modules,Hosts,Machines,Processes,Parallelism,First seen,Last seen",
    `'=cmd(),"Net, ""big""",32762123264,967,2,,8,TP 4,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z`,
    "b,,,,1,1,1,—,2026-11-01T00:00:00Z,2026-11-01T00:00:00Z",
    "",
  ]);
});
