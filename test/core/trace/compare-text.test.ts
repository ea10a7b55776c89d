// A comparison as text and as Markdown, whole: every figure can be worked out from the drawings.
import { expect, test } from "vitest";
import { compareRecords } from "#core/trace/compare-records.ts";
import { compareText } from "#core/trace/compare-text.ts";
import { drawnStep, drawRecord } from "#test/rig/draw-record.ts";

const names = { a: "before.json.gz", b: "after.json.gz" };
const layers = (values: readonly number[], calls: number) => values.map((value, i) => `  layers.${i} Layer ${calls} ${value} ${calls}`).join("\n");
const before = drawRecord(`. Net 1 6000 3\n${layers([2_000, 2_000], 1)}\n  norm Norm 1 500 1`, { device: "GPU X", durationNs: 10_000, categories: [{ category: "GEMM", kernels: 3, value: 6_000 }], steps: [drawnStep(1, { phase: "prefill", prefillTokens: 100, value: 6_000 })] });
const after = drawRecord(`. Net 2 9000 4\n${layers([2_000, 3_000], 2)}\n  head Linear 2 600 2`, { device: "GPU X", durationNs: 20_000, categories: [{ category: "GEMM", kernels: 2, value: 4_000 }, { category: "norm", kernels: 2, value: 5_000 }], steps: [drawnStep(1, { phase: "prefill", prefillTokens: 300, value: 9_000 })] });

test("two runs of one model, of which one ran twice", () => {
  expect(compareText(compareRecords(before, after), { names, top: 10 })).toBe(`\
A  before.json.gz · org/net · GPU X · 6.00 µs GPU time in 3 kernels
B  after.json.gz · org/net · GPU X · 9.00 µs GPU time in 4 kernels
Net was called 1 × in A and 2 × in B: times are per call of it, but for those of phases.

Per call of the root
                         A         B     B − A
  GPU time         6.00 µs   4.50 µs  −1.50 µs  −25.0 %
  inside modules   6.00 µs   4.50 µs  −1.50 µs  −25.0 %
  GPU busy         6.00 µs   4.50 µs  −1.50 µs  −25.0 %
  recording       10.00 µs  10.00 µs         0
  per token          60 ns     30 ns    −30 ns  −50.0 %

Phases
  phase    steps A  steps B  per step A  per step B     B − A           per token A  per token B
  prefill        1        1     6.00 µs     9.00 µs  +3.00 µs  +50.0 %        60 ns        30 ns

By what the kernels do
  category        A        B     B − A           kernels A  kernels B
  GEMM      6.00 µs  2.00 µs  −4.00 µs  −66.7 %          3          2
  norm         0 ns  2.50 µs  +2.50 µs      new          0          2

Modules of both, those that differ most first
        A        B     B − A            its own  a call A  a call B  module
  6.00 µs  4.50 µs  −1.50 µs  −25.0 %   +200 ns   6.00 µs   4.50 µs  the root
  4.00 µs  2.50 µs  −1.50 µs  −37.5 %  −1.50 µs   2.00 µs   1.25 µs  layers.0…1 ×2

Only in A
       A  class  module
  500 ns  Norm   norm

Only in B
       B  class   module
  300 ns  Linear  head
`);
});

test("as Markdown: a table each, figures to the right", () => {
  const text = compareText(compareRecords(before, after), { names, top: 1, markdown: true });
  expect(text).toContain("- A  `before.json.gz` · `org/net` · `GPU X` · 6.00 µs GPU time in 3 kernels\n");
  expect(text).toContain("\n> Net was called 1 × in A and 2 × in B: times are per call of it, but for those of phases.\n");
  expect(text).toContain("\n**By what the kernels do**\n\n| category | A | B | B − A |  | kernels A | kernels B |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n| `GEMM` | 6.00 µs | 2.00 µs | −4.00 µs | −66.7 % | 3 | 2 |\n");
  expect(text).toContain("| 6.00 µs | 4.50 µs | −1.50 µs | −25.0 % | +200 ns | 6.00 µs | 4.50 µs | `the root` |\n\nand 1 more line\n");
});

test("a run compared with itself differs in nothing, and without phases on the GPU their time on the host is shown", () => {
  const run = drawRecord(". Net 1 10 1", { profileType: "cpu_op", steps: [drawnStep(1, { durationNs: 700 })] });
  const text = compareText(compareRecords(run, run), { names, top: 5 });
  expect(text).toContain("Phases, time on the host\n  phase  steps A  steps B  per step A  per step B  B − A\n  step         1        1      700 ns      700 ns      0\n");
  expect(text).not.toMatch(/[+−]\d/);
});

test("names of a file are neither control sequences nor markup", () => {
  const evil = "\u001b[31m|`<b>@you[x](http://y)`\u202e";
  const record = (value: number) => drawRecord(`. ${evil} 1 ${value} 1\n  ${evil} ${evil} 1 ${value} 1\n  n${value} ${evil} 1 1 1`, { device: evil, modelName: evil, categories: [{ category: evil, kernels: 1, value: 9 }] });
  const comparison = compareRecords(record(10), record(30));
  const text = compareText(comparison, { names: { a: evil, b: evil }, top: 9 });
  const markdown = compareText(comparison, { names: { a: evil, b: evil }, top: 9, markdown: true });
  for (const shown of [text, markdown]) expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  // Without code spans and escaped characters no markup is left, and every row has the columns of its head.
  const outside = markdown.replaceAll(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, "").replaceAll(/\\./g, "");
  expect(outside).not.toMatch(/[<@[`]/);
  for (const block of markdown.split("\n\n").filter((part) => part.startsWith("|"))) {
    const columns = block.trim().split("\n").filter((line) => line.startsWith("|")).map((line) => line.replaceAll("\\|", "").split("|").length);
    expect(new Set(columns).size).toBe(1);
  }
});
