// One line, one case: what is read of it, or what is said about it.
import { describe, expect, test } from "vitest";
import { LineNotes } from "#core/workload/prometheus/line-notes.ts";
import { parsePrometheus } from "#core/workload/prometheus/parse-prometheus.ts";

function parse(text: string) {
  const notes = new LineNotes();
  const { samples, types } = parsePrometheus(text, notes);
  return { samples, types, notes: notes.texts() };
}

// name{a=1,b=2} value @seconds
const drawn = (text: string) => parse(text).samples.map(({ name, labels, value, timestampS }) => `${name}{${labels.map(([key, label]) => `${key}=${label}`).join("|")}} ${value}${timestampS === null ? "" : ` @${timestampS}`}`);

describe("samples", () => {
  test.each([
    ["up 1", "up{} 1"],
    ["vllm:num_requests_running 3.0", "vllm:num_requests_running{} 3"],
    ['a{b="c"} 1', "a{b=c} 1"],
    ['a {b="c"} 1', "a{b=c} 1"],
    ['a{b="c"}1', "a{b=c} 1"],
    ['a{ b = "c" , d="e" , } 1', "a{b=c|d=e} 1"],
    ["a{} 1", "a{} 1"],
    ["a 1.5e+06", "a{} 1500000"],
    ["a -.5", "a{} -0.5"],
    ["a 3.", "a{} 3"],
    ["a NaN", "a{} NaN"],
    ["a +Inf", "a{} Infinity"],
    ["a -inf", "a{} -Infinity"],
    ["a Infinity", "a{} Infinity"],
    ["a 1 1764426720123", "a{} 1 @1764426720.123"],
    ["\ta\t1  ", "a{} 1"],
    ["a 1\r", "a{} 1"],
    ['a{b="say \\"hi\\"\\n\\\\ \\d"} 1', 'a{b=say "hi"\n\\ \\d} 1'],
    ['a{b="} 2 # {",c="x,y=z"} 1', "a{b=} 2 # {|c=x,y=z} 1"],
    ['a{b=""} 1', "a{b=} 1"],
    ['{"my.metric",b="c"} 1', "my.metric{b=c} 1"],
    ['{"my.metric"} 1', "my.metric{} 1"],
    ['a{"b.c"="d"} 1', "a{b.c=d} 1"],
    ['a_bucket{le="1"} 5 # {trace_id="ab"} 0.7 1764426720.1', "a_bucket{le=1} 5"],
    ["a 5 # {} 0.7", "a{} 5"],
  ])("%j", (line, expected) => expect(drawn(line)).toEqual([expected]));

  test("OpenMetrics writes its times in seconds, and says that it is OpenMetrics in its last line", () => {
    expect(drawn("a 1 1764426720.5\n# EOF\n")).toEqual(["a{} 1 @1764426720.5"]);
  });
});

describe("what is no sample is named with its first line and loses nothing else", () => {
  test.each([
    ["...", "Lines that are no samples, skipped"],
    ["a", "Lines that are no samples, skipped"],
    ["1 2", "Lines that are no samples, skipped"],
    ["a 1 2 3", "Lines that are no samples, skipped"],
    ["main;step 12", "Lines that are no samples, skipped"],
    ["a one", "Lines whose value is no number, skipped"],
    ["a 0x10", "Lines whose value is no number, skipped"],
    ['a{b="c} 1', "Lines with labels that cannot be read, skipped"],
    ["a{b=c} 1", "Lines with labels that cannot be read, skipped"],
    ['a{b="c"', "Lines with labels that cannot be read, skipped"],
    ['a{b="c" d="e"} 1', "Lines with labels that cannot be read, skipped"],
    ['a{"b"} 1', "Lines with labels that cannot be read, skipped"],
    ["{} 1", "Lines that are no samples, skipped"],
  ])("%j", (line, sentence) => {
    expect(drawn(`before 1\n${line}\nafter 2`)).toEqual(["before{} 1", "after{} 2"]);
    expect(parse(`before 1\n${line}\nafter 2\n${line}`).notes).toEqual([`${sentence}: 2, the first in line 2`]);
  });

  test("a series that is there twice keeps its first value; the same at another time is another point", () => {
    const twice = parse('a{b="c",d="e"} 1\na{d="e",b="c"} 2\na{b="c",d="e"} 3 1000');
    expect(twice.samples.map(({ value }) => value)).toEqual([1, 3]);
    expect(twice.notes).toEqual(["Series that are there twice, the first kept: 1, the first in line 2"]);
  });
});

test("types are kept by the name they are given for; other comments are read over", () => {
  const { types, samples, notes } = parse('# HELP a Help with # and {\n# TYPE a counter\n#TYPE b Histogram\n# any words\n# TYPE "c.d" gauge\n\n   \n');
  expect([...types]).toEqual([["a", "counter"], ["b", "histogram"], ["c.d", "gauge"]]);
  expect([samples, notes]).toEqual([[], []]);
});
