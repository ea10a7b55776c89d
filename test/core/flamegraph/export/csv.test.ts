// The CSV export as a spreadsheet reads it: rows and cells by RFC 4180, sums by hand.
import fc from "fast-check";
import { expect, test } from "vitest";
import { printable } from "#core/printable.ts";
import { drawn, exportedText, hostileNames, hostileProfile } from "#test/rig/export-profiles.ts";

// One character at a time; a quote inside quotes is written twice.
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[""]];
  let quoted = false;
  const add = (letter: string) => {
    const row = rows.at(-1)!;
    row.push(row.pop()! + letter);
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (quoted && letter === '"' && text[at + 1] === '"') {
      add('"');
      at++;
    } else if (letter === '"') quoted = !quoted;
    else if (!quoted && letter === ",") rows.at(-1)!.push("");
    else if (!quoted && letter === "\r" && text[at + 1] === "\n") {
      rows.push([""]);
      at++;
    } else add(letter);
  }
  expect(rows.pop()).toEqual([""]); // the last line ends as all do
  return rows;
}

test("a row for each node, heaviest first, with the module it lies in", () => {
  expect(exportedText("csv", drawn).split("\r\n")).toEqual([
    "node,parent,depth,kind,name,module,module_class,file,line,mapping,self_ns,total_ns,self_calls,total_calls",
    "0,,0,root,all,,,,,,1,12000007,1,11",
    "1,0,1,python,serve,,,serve.py,12,,0,12000006,0,10",
    "2,1,2,layer,Net tiny,,Net,,,,0,12000001,0,5",
    "3,2,3,layer,Block h.0,h.0,Block,net.py,40,,0,12000001,0,5",
    "4,3,4,gpu_api,cudaLaunchKernel,h.0,Block,,,libcudart.so.12,0,12000001,0,5",
    '5,4,5,gpu_kernel,"void gemm<float, 4>(int*)",h.0,Block,,,,10000000,10000000,1,1',
    "6,4,5,gpu_kernel,norm,h.0,Block,,,,2000001,2000001,4,4",
    "7,1,2,native,load,,,,,,5,5,5,5",
    "",
  ]);
  expect(exportedText("csv", { ...drawn, profileType: "samples" })).toMatch(/^node,.*,self,total,self_calls,total_calls\r\n/);
});

test("random stacks with hostile names: every node one line of 14 cells, sums as the stacks have them, no cell that runs", () => {
  fc.assert(fc.property(hostileProfile, (profile) => {
    const text = exportedText("csv", profile);
    const [, root, ...nodes] = parseCsv(text);
    expect(text.split("\r\n")).toHaveLength(nodes.length + 3);
    const sum = (column: number) => [root!, ...nodes].reduce((all, row) => all + BigInt(row[column]!), 0n);
    const [value, count] = profile.stacks.reduce(([v, c], stack) => [v + stack.value, c + stack.count], [0n, 0n]);
    expect([sum(10), sum(12), root![11], root![13]].map(String)).toEqual([value, count, value, count].map(String));
    const names = profile.frames.map(({ name }) => Buffer.from(printable(name)).toString());
    for (const row of nodes) {
      expect(row).toHaveLength(14);
      expect(names).toContain(row[4]!.replace(/^'(?=[=+\-@])/, ""));
      for (const cell of row) expect(cell).not.toMatch(/^[=+\-@]|\p{Cc}/u);
    }
  }), { numRuns: 100 });
});

test("a formula is a text with an apostrophe", () => {
  const frames = hostileNames.map((name) => ({ ...drawn.frames[3]!, name }));
  const cells = parseCsv(exportedText("csv", { profileType: "cuda", frames, stacks: frames.map((_, frame) => ({ frames: [frame], value: BigInt(frame + 1), count: 1n })) })).map((row) => row[4]);
  expect(cells).toEqual(expect.arrayContaining(["'=cmd|' /C calc'!A0", "'+1", "'-1", "'@sum", "\\u{9}x", "\\u{1b}[31mred", '"quoted"', "comma, comma", "a\\u{d}\\u{a}b"]));
});
