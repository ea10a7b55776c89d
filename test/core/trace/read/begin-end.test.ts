// Pairs of begin and end events; a test is the events of one thread in file order, "B name time" or "E name time".
import { expect, test } from "vitest";
import { BeginEnd } from "#core/trace/read/begin-end.ts";

function pairs(...events: string[]): { calls: string[]; unended: number; unbegun: number } {
  const names = ["", "a", "b", "c"];
  const beginEnd = new BeginEnd();
  for (const event of events) {
    const [kind, name, at] = event.split(" ");
    if (kind === "until") beginEnd.until(0, Number(name));
    else beginEnd.add(kind === "E", 0, names.indexOf(name === "-" ? "" : name!), Number(at));
  }
  const calls: string[] = [];
  beginEnd.pair((_, name, start, end) => void calls.push(`${names[name]} ${start}–${end}`));
  return { calls: calls.sort(), unended: beginEnd.unended, unbegun: beginEnd.unbegun };
}

test.each([
  ["nested", ["B a 0", "B b 1", "E b 2", "E a 3"], ["a 0–3", "b 1–2"], 0, 0],
  ["ends without names close the innermost", ["B a 0", "B b 1", "E - 2", "E - 3"], ["a 0–3", "b 1–2"], 0, 0],
  ["crossing", ["B a 0", "B b 1", "E a 9", "E b 10"], ["a 0–9", "b 1–10"], 0, 0],
  ["one name twice: the inner one ends first", ["B a 0", "B a 1", "E a 9", "E a 10"], ["a 0–10", "a 1–9"], 0, 0],
  ["written out of order", ["E a 9", "B b 2", "E b 8", "B a 0"], ["a 0–9", "b 2–8"], 0, 0],
  ["never ended: until the last event", ["B a 0", "B b 1", "until 7"], ["a 0–7", "b 1–7"], 2, 0],
  ["ends between those of other names", ["B a 0", "B b 1", "B a 2", "E c 3", "E b 4", "E - 5", "E a 6"], ["a 0–6", "a 2–5", "b 1–4"], 0, 1],
  ["an end that nothing began is left out", ["B a 0", "E c 5", "E a 6"], ["a 0–6"], 0, 1],
  ["end and begin of one time, the end written first", ["B a 0", "E c 2", "B c 2", "E a 9"], ["a 0–9", "c 2–2"], 0, 0],
  ["equal times keep the order of the file", ["B a 0", "B b 0", "E b 0", "E a 0"], ["a 0–0", "b 0–0"], 0, 0],
] as const)("%s", (_, events, calls, unended, unbegun) => {
  expect(pairs(...events)).toEqual({ calls, unended, unbegun });
});

test("threads do not end one another's calls", () => {
  const beginEnd = new BeginEnd();
  beginEnd.add(false, 0, 1, 0);
  beginEnd.add(true, 1, 1, 5);
  beginEnd.add(true, 0, 1, 9);
  const calls: number[][] = [];
  beginEnd.pair((...call) => void calls.push(call));
  expect([calls, beginEnd.unbegun]).toEqual([[[0, 1, 0, 9]], 1]);
});
