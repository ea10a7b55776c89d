// A record named on the command line, where no server is needed.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { recordOf } from "#cli/execution-record.ts";
import { kernel, launch, module } from "#test/core/trace/trace-text.ts";

const folder = mkdtempSync(join(tmpdir(), "lamella-record-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test("a file is read here and has no id", async () => {
  const path = file("run.json", JSON.stringify({ traceEvents: [module("Net_0", [0, 100]), launch(1, [5, 6]), kernel(1, [9, 10])] }));
  expect(await recordOf({}, path)).toMatchObject({ name: "run.json", executionId: null, record: { totals: { kernels: 1, value: 1_000 }, modules: { parent: [-1] } } });
});

test.each<[string, string, Parameters<typeof recordOf>[2], RegExp]>([
  ["neither file nor execution", "nowhere.json.gz", {}, /^"nowhere\.json\.gz" is neither a file nor an execution: name one by 8 or more digits of its id, see `lamella executions`, or as latest\.$/],
  ["too few digits", "abc123", {}, /^"abc123" is neither a file nor an execution/],
  ["a step of what is stored", "latest", { step: 2 }, /^--step and --capture are for files/],
  ["a capture of what is stored", "deadbeef", { captures: ["x"] }, /^--step and --capture are for files/],
  ["a file that is none", file("x.json", "{}"), {}, /x\.json is refused: /],
])("%s", async (_, wanted, reading, expected) => {
  await expect(recordOf({}, wanted, reading)).rejects.toThrow(expected);
});
