// `lamella filter` without a server, and mistakes drawn below the text they are in.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { caretLines } from "#cli/carets.ts";
import { readFilter } from "#core/filter/check.ts";
import { root } from "#local/worker.ts";

const drawn = (text: string): string[] => {
  const read = readFilter(text, "flamegraph");
  return caretLines(text, read.ok ? [] : read.error);
};

describe("carets", () => {
  test("stand below the mistake, one line each", () => {
    expect(drawn('hots.name == "a" && foo == b')).toEqual([
      'hots.name == "a" && foo == b',
      "^^^^^^^^^ Unsupported filter field, did you mean host.name?",
      "                    ^^^ Unsupported filter field",
      '                           ^ Values stand in quotes, did you mean "b"?',
    ]);
    expect(drawn("host.name ==")).toEqual(["host.name ==", "            ^ Expected a quoted value, found the end of the filter"]);
  });

  test("count the columns of a terminal: wide characters are two, combining marks none, control characters as they are shown", () => {
    expect(drawn('host.name == "漢字😀" x')).toEqual(['host.name == "漢字😀" x', `${" ".repeat(22)}^ Expected &&, || or the end of the filter, found x`]);
    expect(drawn('host.name == "e\u0301" x')).toEqual(['host.name == "e\u0301" x', `${" ".repeat(17)}^ Expected &&, || or the end of the filter, found x`]);
    expect(drawn('host.name == "\u001b\u202e" x')).toEqual(['host.name == "\\u{1b}\\u{202e}" x', `${" ".repeat(30)}^ Expected &&, || or the end of the filter, found x`]);
    expect(drawn("host.name ==\n漢")).toEqual(["host.name ==\\u{a}漢", `${" ".repeat(17)}^^ Values stand in quotes, did you mean "漢"?`]);
  });

  test("of a long text each has the part around it", () => {
    const [shown, caret, ...more] = drawn(`${Array(30).fill('host.name == "a"').join(" && ")} && foo == "b" && ${Array(10).fill('job.tag == "漢"').join(" && ")}`);
    expect(more).toEqual([]);
    expect(shown!.length).toBeLessThan(100);
    expect([shown!.slice(0, 2), shown!.slice(-2), shown!.slice(caret!.indexOf("^"), caret!.lastIndexOf("^") + 1)]).toEqual(["… ", " …", "foo"]);
    const long = drawn(`host.name == "${"😀".repeat(300)} `);
    expect(long[1]!.length).toBeLessThan(200);
  });
});

function lamella(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "cli/lamella.mjs"), "filter", ...words], { encoding: "utf8", cwd: "/", env: { PATH: process.env.PATH } });
  return { status, stdout, stderr };
}

test("a filter that is right is printed in its canonical form", () => {
  expect(lamella("not host.name = 'a' or user.tag not in [\"b\"]")).toEqual({ status: 0, stdout: '!(host.name == "a") || !(user.tag in ["b"])\n', stderr: "" });
  expect(JSON.parse(lamella("has(host.name)", "--json").stdout)).toEqual({ page: "flamegraph", canonical: "has(host.name)", problems: [] });
});

test("one that is wrong ends with 1, on stderr for people and on stdout as JSON", () => {
  expect(lamella("hots.name == 'a'")).toEqual({ status: 1, stdout: "", stderr: "hots.name == 'a'\n^^^^^^^^^ Unsupported filter field, did you mean host.name?\n" });
  const { status, stdout, stderr } = lamella('gpu.name == "a"', "--page", "models", "--json");
  expect([status, stderr, JSON.parse(stdout)]).toMatchObject([1, "", { page: "models", canonical: null, problems: [{ kind: "field_unsupported", from: 0, to: 8 }] }]);
});

test("a place outside the text is refused before any server is asked", () => {
  expect(lamella("ho", "--complete", "3")).toEqual({ status: 1, stdout: "", stderr: 'lamella: --complete is "3"; write a whole number from 0 to 2, the length of the filter, or end.\n' });
});
