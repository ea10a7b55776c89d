// What is read of an event does not depend on the events before it, though the reader learns from them how their writer lays them out.
import fc from "fast-check";
import { expect, test } from "vitest";
import { TraceReader } from "#core/trace/read/read-json.ts";
import type { TraceEvent } from "#core/trace/read/trace-event.ts";

type Read = { events: object[]; repairs: number };

function read(document: string): Read {
  const events: object[] = [];
  const reader: TraceReader = new TraceReader((event) => events.push(copyOf(event, (id) => reader.texts.text(id))));
  reader.push(new TextEncoder().encode(document));
  const file = reader.finish();
  return { events, repairs: "repairs" in file ? file.repairs.reduce((sum, { count }) => sum + count, 0) : Number.NaN };
}

function copyOf(event: TraceEvent, text: (id: number) => string): object {
  const { phase, hasStart, start, hasDuration, duration, correlation, pythonId, pythonParentId, device, stream, bytes, graphNode, sequence, forwardThread } = event;
  const words = [event.category, event.name, event.process, event.thread, event.kernelName, event.grid, event.block, event.dims, event.dtypes, event.flow].map(text);
  const times = { start: hasStart ? { ...start } : null, duration: hasDuration ? { ...duration } : null };
  return { phase, ...times, correlation, pythonId, pythonParentId, device, stream, bytes, graphNode, sequence, forwardThread, words };
}

const text = (...words: string[]): fc.Arbitrary<string> => fc.constantFrom(...words).map((word) => `"${word}"`);
const number = fc.constantFrom("0", "7", "-1", "416", "2.5", "1e3", '"12"', "NaN", "18446744073709551615", "null", "1712345678901234.567");
const any = fc.oneof(number, text("", "a", '\\"', "\\q"), fc.constantFrom("[]", "[[1, 4096], []]", "{}", '{"x": [1]}'));
const member = (key: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(": ", ":", " :\n"), value).map(([colon, written]) => `"${key}"${colon}${written}`);
const object = (members: fc.Arbitrary<string>[]): fc.Arbitrary<string> => {
  const chosen = fc.shuffledSubarray(members).chain((list) => fc.tuple(...list));
  return fc.tuple(chosen, fc.constantFrom(", ", ",", ",\n  "), fc.constantFrom("", " ", ",")).map(([list, comma, end]) => `{${list.join(comma)}${list.length > 0 ? end : ""}}`);
};

const keys = [
  "correlation", "Python id", "Python parent id", "device", "Device", "stream", "bytes", "graph node id", "Sequence number", "Fwd thread id",
  "kernel", "grid", "block", "Input Dims", "Input type", "Ev Idx", "External id",
];
const args = fc.oneof({ weight: 5, arbitrary: object(keys.map((key) => member(key, any))) }, any);
const fields = [
  member("ph", text("X", "s", "f", "B", "M")), member("cat", fc.oneof(text("cpu_op", "kernel", "fwdbwd"), any)), member("name", fc.oneof(text("aten::mm", "f"), any)),
  member("pid", any), member("tid", any), member("ts", number), member("dur", number), member("id", any), member("args", args), member("bp", any),
];

test("events in a row are read as each is alone", () => {
  fc.assert(
    fc.property(fc.array(object(fields), { minLength: 1, maxLength: 40 }), (events) => {
      const alone = events.map((one) => read(`[${one}]`));
      expect(read(`[${events.join(", ")}]`)).toEqual({ events: alone.flatMap((one) => one.events), repairs: alone.reduce((sum, one) => sum + one.repairs, 0) });
    }),
    { numRuns: 400 },
  );
});

test('"args" that are no object do not hide those of the next event', () => {
  const event = (written: string): string => `{"ph": "X", "name": "a", "args":${written}}`;
  const { events } = read(`[${[event("5"), event(' {"correlation": 3}'), event(" null"), event(' {"correlation": 4}')].join(", ")}]`);
  expect(events).toMatchObject([{ correlation: 0 }, { correlation: 3 }, { correlation: 0 }, { correlation: 4 }]);
});

test("a number that ends in its point breaks its event", () => {
  expect(read(`[{"ph": "X", "ts": 5.}, {"ph": "X", "ts": 5.0}]`).events).toMatchObject([{ start: { micros: 5, nanos: 0 } }]);
});

test("more threads, categories and forms than are learned are read all the same", () => {
  const written = Array.from({ length: 3000 }, (_, i) => `{"ph": "X", "cat": "c${i % 40}", "name": "n", "pid": ${i % 7}, "tid": ${i}, "args": {"k${i}": 1, "correlation": ${i + 1}}}`);
  const { events, repairs } = read(`[${written.join(",")}]`);
  expect(repairs).toBe(0);
  expect(events.map((event) => event as { correlation: number; words: string[] }).map(({ correlation, words }) => [correlation, ...words.slice(0, 4)])).toEqual(
    written.map((_, i) => [i + 1, `c${i % 40}`, "n", String(i % 7), String(i)]),
  );
});
