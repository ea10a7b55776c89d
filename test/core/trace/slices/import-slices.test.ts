import { expect, test } from "vitest";
import { SliceImport } from "#core/trace/slices/import-slices.ts";
import { accepted, bytesOf, stackLines } from "../stacks-text.ts";

function read(...events: object[]) {
  const slices = new SliceImport();
  slices.push(bytesOf(JSON.stringify({ traceEvents: events.map((event) => ({ pid: 1, tid: 1, ...event })) })));
  return slices.finish();
}
const slice = (name: string, ts: number, dur: number, more: object = {}) => ({ ph: "X", name, ts, dur, ...more });

test("self time of nested slices, of whatever phase", () => {
  const execution = accepted(read(slice("parse", 0, 10), { ph: "B", name: "lex", ts: 2 }, slice("read", 3, 1.5), { ph: "E", name: "lex", ts: 6 }, { ph: "C", name: "heap", ts: 4 }, { ph: "M", name: "thread_name" }));
  expect(stackLines(execution)).toEqual(["native:parse | 6000 × 1", "native:parse > native:lex | 2500 × 1", "native:parse > native:lex > native:read | 1500 × 1"]);
  expect(execution).toMatchObject({ profileType: "wall", durationNs: 10_000, events: 6, totals: { value: 10_000 } });
  expect(execution.notes).toContain("Events that are no slices (marks, counters, async spans, metadata), left out: 2");
});

test("an end without a name closes the innermost slice, as the format has it", () => {
  const [begin, end] = [(name: string, ts: number) => ({ ph: "B", name, ts }), (ts: number) => ({ ph: "E", ts })];
  const execution = accepted(read(begin("a", 0), begin("b", 0), end(4), begin("c", 4), end(5), end(9), begin("d", 9), begin("e", 9), end(11), end(11)));
  expect(stackLines(execution)).toEqual(["native:a | 4000 × 1", "native:a > native:b | 4000 × 1", "native:a > native:c | 1000 × 1", "native:d | 0 × 1", "native:d > native:e | 2000 × 1"]);
  expect(execution.notes).toEqual([expect.stringContaining("self time of its slices")]); // nothing was left open, nothing left out
});

test("several threads stand apart; Python calls keep their file", () => {
  expect(stackLines(accepted(read(slice("main.py(12): run", 0, 5), slice("wait", 0, 7, { tid: 2 }))))).toEqual([
    "native:thread 1/1 > python:run (main.py:12) | 5000 × 1", "native:thread 1/2 > native:wait | 7000 × 1",
  ]);
});

test("slices that cross keep the time of both, and it is said", () => {
  const execution = accepted(read(slice("a", 0, 10), slice("b", 5, 10)));
  expect(execution.totals.value).toBe(15_000);
  expect(execution.notes).toContain("Slices that end after the slice they started in, kept inside it: 1");
});

test("no slice at all, or a recording of a newer lamella: refused", () => {
  expect(read({ ph: "I", name: "mark", ts: 1 })).toMatchObject({ ok: false, error: { reason: expect.stringContaining("no slice") } });
  const slices = new SliceImport();
  slices.push(bytesOf(JSON.stringify({ lamella_format: 2, traceEvents: [slice("a", 0, 1)] })));
  expect(slices.finish()).toMatchObject({ ok: false, error: { reason: expect.stringContaining("lamella_format 2") } });
});
