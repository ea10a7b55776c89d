import { describe, expect, test } from "vitest";
import { JsonCursor } from "#core/trace/read/json-cursor.ts";
import { TraceReader, type NotATrace, type TraceFile } from "#core/trace/read/read-json.ts";
import { limits } from "#schema/limits.ts";

type Read = { names: string[]; starts: string[]; file: TraceFile | NotATrace };

function read(document: string | Uint8Array, chunkBytes = 1 << 20): Read {
  const bytes = typeof document === "string" ? new TextEncoder().encode(document) : document;
  const names: string[] = [];
  const starts: string[] = [];
  const reader: TraceReader = new TraceReader((event) => {
    names.push(reader.texts.text(event.name));
    starts.push(event.hasStart ? (BigInt(event.start.micros) * 1000n + BigInt(event.start.nanos)).toString() : "none");
  });
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  return { names, starts, file: reader.finish() };
}

const event = (name: string, more = ""): string => `{"ph": "X", "cat": "cpu_op", "name": "${name}", "pid": 1, "tid": 1, "ts": 1.5, "dur": 2${more}}`;
const list = (...events: string[]): string => `{"traceEvents": [\n${events.join(",\n")}\n]}`;
const repairs = ({ file }: Read): { [kind: string]: [count: number, firstAt: number] } =>
  "repairs" in file ? Object.fromEntries(file.repairs.map(({ kind, count, firstAt }) => [kind, [count, firstAt]])) : { refused: [0, 0] };

describe("the two forms", () => {
  test("an object, its metadata on either side of the events", () => {
    const { names, file } = read(`{"schemaVersion": 1, "with_stack": 1, "traceEvents": [${event("a")}], "baseTimeNanoseconds": 1751410836000000001, "junk": {"deep": [1, {"x": null}]}}`);
    expect(names).toEqual(["a"]);
    expect(file).toMatchObject({ metadata: { with_stack: 1, baseTimeNanoseconds: 1751410836000000001n }, repairs: [] });
    expect(file).not.toHaveProperty("metadata.junk");
  });
  test("a bare array", () => expect(read(`[${event("a")}, ${event("b")}]`)).toMatchObject({ names: ["a", "b"], file: { repairs: [], hasEventList: true } }));
  test("a byte order mark in front", () => expect(read(`\uFEFF[${event("a")}]`).names).toEqual(["a"]));
});

test("times are exact where a double is not", () => {
  expect(read(`[{"ph":"X","name":"a","ts":1712345678901234.567},{"ph":"X","name":"b","ts":"1712345678901234.568"}]`).starts).toEqual(["1712345678901234567", "1712345678901234568"]);
});

test("however the bytes are cut into chunks, the same is read", () => {
  const document = list(event("aten::mm", `, "args": {"x": [1, {"y": "}"}], "z": "\\"]"}`), event("ü \\u00e9 \\\\"), event("bad \\q escape"), `{"ph": "M", "name": "process_name"}`, event("last"));
  const whole = read(document);
  expect(whole.names).toEqual(["aten::mm", "ü é \\", "bad \\q escape", "", "last"]);
  for (let chunkBytes = 1; chunkBytes <= 64; chunkBytes++) expect(read(document, chunkBytes)).toEqual(whole);
});

describe("broken files", () => {
  test("inf and nan are read as absent", () => {
    const found = read(list(event("a", `, "args": {"bw": inf, "x": [NaN, -Infinity, nan]}`), `{"ph": "X", "name": "b", "ts": NaN}`));
    expect(found.names).toEqual(["a", "b"]);
    expect(found.starts).toEqual(["1500", "none"]);
    expect(repairs(found)).toEqual({ number: [5, list(event("a", `, "args": {"bw": inf`)).indexOf("inf")] });
  });
  test("Windows paths with single backslashes keep their backslashes", () => {
    const document = list(event(String.raw`C:\Users\x(1): f`));
    const found = read(document);
    expect(found.names).toEqual([String.raw`C:\Users\x(1): f`]);
    expect(repairs(found)).toEqual({ escape: [2, document.indexOf("\\")] });
  });
  test("raw control characters in strings are kept", () => {
    const found = read(list(event("a\nb\u0001"), event("c")));
    expect(found.names).toEqual(["a\nb\u0001", "c"]);
    expect(repairs(found)).toMatchObject({ control: [1, expect.any(Number)] });
  });
  test("trailing commas and missing commas between events", () => {
    const found = read(`{"traceEvents": [${event("a", ",")} ${event("b", `, "args": {"x": [1, 2,],}`)},]}`);
    expect(found.names).toEqual(["a", "b"]);
    expect(repairs(found)).toEqual({ trailing_comma: [4, expect.any(Number)], missing_comma: [1, expect.any(Number)] });
  });
  test.each([
    ["before a key", `{"ph": "X", name": "b", "ts": 1}`],
    ["after a key", `{"ph": "X", "name: "b", "ts": 1}`],
    ["around a value", `{"ph": "X", "name": b, "ts": 1}`],
    ["at the end of a value", `{"ph": "X", "name": "b, "ts": 1}`],
    ["in nested args", `{"ph": "X", "name": "b", "args": {"x: 1, "list": [{"p": 1}, {"q": 2}]}}`],
  ])("a quote lost %s costs that event and no other", (_, broken) => {
    const document = list(event("a"), broken, event("c"), event("d"));
    for (const chunkBytes of [7, 1 << 20]) {
      const found = read(document, chunkBytes);
      expect(found.names).toEqual(["a", "c", "d"]);
      expect(repairs(found)).toEqual({ malformed: [1, expect.any(Number)] });
    }
  });
  test("a broken last event does not cost the metadata behind it", () => {
    expect(read(`{"traceEvents": [{"ph: "X", "args": {"x": [1], "y": 2}}], "baseTimeNanoseconds": 5}`).file).toMatchObject({ metadata: { baseTimeNanoseconds: 5 } });
  });
  test("a file cut at any byte gives every event before the cut", () => {
    const document = list(event("a"), event("b", `, "args": {"Input Dims": [[1, 2], []]}`), event("c"));
    const cuts = [document.indexOf("},\n") + 1, document.indexOf("},\n", document.indexOf(`"b"`)) + 1, document.lastIndexOf("}\n") + 1];
    for (let cut = 1; cut < document.length; cut++) {
      const found = read(document.slice(0, cut), 16);
      expect(found.names).toEqual(["a", "b", "c"].filter((_, i) => cut >= cuts[i]!));
      expect(repairs(found)).toEqual({ truncated: [1, cut] });
    }
  });
  test("bytes that are not UTF-8 become U+FFFD", () => {
    const document = new TextEncoder().encode(list(event("a?b")));
    document[document.indexOf(0x3f)] = 0xff;
    const found = read(document);
    expect(found.names).toEqual(["a\uFFFDb"]);
    expect(repairs(found)).toEqual({ utf8: [1, expect.any(Number)] });
  });
  test("entries that are no events, and bytes after the end", () => {
    const found = read(`[null, 3, ${event("a")}, {"x": 1}] tail`);
    expect(found.names).toEqual(["a"]);
    expect(repairs(found)).toEqual({ not_event: [3, 1], trailing: [4, expect.any(Number)] });
  });
  test.each(["{", "["])("brackets nested without end (%s) cost that event alone", (bracket) => {
    const deep = bracket === "[" ? "[".repeat(5000) + "]".repeat(5000) : `${`{"x":`.repeat(5000)}1${"}".repeat(5000)}`;
    const found = read(list(event("a"), event("deep", `, "args": ${deep}`), event("c")));
    expect(found.names).toEqual(["a", "c"]);
    expect(repairs(found)).toHaveProperty("malformed");
  });
});

test("bytes after the end count alike however they are cut into chunks", () => {
  const document = `[${event("a")}] tail \n  and more`;
  const at = document.indexOf("tail");
  for (let chunkBytes = 1; chunkBytes <= 64; chunkBytes++) expect(repairs(read(document, chunkBytes))).toEqual({ trailing: [document.length - at, at] });
});

// A step is one look at the next byte: objects inside a broken event may be the next event, but reading them all from each level again is a step per byte and level.
test.each([
  ["breaks at its innermost", 250, "oops"],
  ["is nested deeper than the bound", 1000, "1"],
])("the work for an event that %s does not grow with its levels", (_, levels, innermost) => {
  const item = `{"p": [${Array.from({ length: 100 }, (_, i) => i).join(",")}]}`;
  const document = list(event("a"), event("b", `, "args": ${`[${item}, {"q": `.repeat(levels)}${innermost}${"}]".repeat(levels)}`), event("c"));
  const { peek } = JsonCursor.prototype;
  let steps = 0;
  JsonCursor.prototype.peek = function () {
    steps++;
    return peek.call(this);
  };
  try {
    const found = read(document);
    expect(found.names).toEqual(["a", "c"]);
    expect(repairs(found)).toMatchObject({ malformed: [1, expect.any(Number)] });
  } finally {
    JsonCursor.prototype.peek = peek;
  }
  expect(steps / document.length).toBeLessThan(12);
});

test("a time with too many digits is counted once, not again for events without one", () => {
  expect(repairs(read(list(event("a").replace("1.5", "1.5004"), `{"ph": "i"}`, `{"ph": "M"}`)))).toEqual({ rounded: [1, 18] });
});

test("arrows that are not from forward to backward leave no text behind: there are as many as launches", () => {
  const reader: TraceReader = new TraceReader(() => undefined);
  const arrows = (category: string) => Array.from({ length: 500 }, (_, i) => `{"ph": "s", "id": ${i}, "pid": 1, "tid": 1, "ts": 1, "cat": "${category}"}`);
  reader.push(new TextEncoder().encode(list(...arrows("ac2g"), ...arrows("fwdbwd"))));
  expect(reader.texts.size).toBeLessThan(510);
});

test("a name over the bound outside the events costs that entry alone", () => {
  const found = read(`{"with_stack": 1, "${"k".repeat(limits.traceValueBytesMax + (3 << 20))}": 1, "traceEvents": [${event("a")}]}`);
  expect(found.names).toEqual(["a"]);
  expect(repairs(found)).toMatchObject({ too_large: [1, 17] });
});

test("a value over the bound is skipped without being held, inside the events and outside", () => {
  const filler = "x".repeat(1 << 20);
  function* chunks(): Generator<string> {
    yield `{"stacks": "`;
    for (let i = 0; i < 20; i++) yield filler;
    yield `", "with_stack": 1, "traceEvents": [${event("a")}, {"ph": "X", "name": "`;
    for (let i = 0; i < 20; i++) yield filler;
    yield `"}, ${event("c")}]}`;
  }
  const names: string[] = [];
  const reader: TraceReader = new TraceReader((found) => names.push(reader.texts.text(found.name)));
  for (const chunk of chunks()) reader.push(new TextEncoder().encode(chunk));
  expect(reader.finish()).toMatchObject({ metadata: { with_stack: 1 }, repairs: [{ kind: "too_large", count: 2 }] });
  expect(names).toEqual(["a", "c"]);
  expect(limits.traceValueBytesMax).toBeLessThan(20 << 20);
});

test.each([
  ["", "the file is empty"],
  ["hello", `expected "{" or "[", found byte 0x68`],
  ["\u001f…", "gzip data; undo the gzip first"],
])("%j is refused with its reason", (document, reason) => {
  expect(read(document).file).toMatchObject({ reason: expect.stringContaining(reason) });
});
