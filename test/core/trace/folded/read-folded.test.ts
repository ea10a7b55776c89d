import { expect, test } from "vitest";
import { readFolded } from "#core/trace/folded/read-folded.ts";
import { accepted, bytesOf, stackLines } from "../stacks-text.ts";

const read = (text: string | Uint8Array) => accepted(readFolded(typeof text === "string" ? bytesOf(text) : text));

test("equal stacks are added up; counts are samples", () => {
  const execution = read("a;b;c 1\na;b;c 3\na;b 5\n");
  expect(stackLines(execution)).toEqual(["native:a > native:b > native:c | 4 × 4", "native:a > native:b | 5 × 5"]);
  expect(execution).toMatchObject({ profileType: "samples", events: 3, totals: { value: 9, kernels: 9, moduleValue: 0 }, pathSource: "none", gaps: [], modules: [] });
});

test("annotations of stackcollapse and the places Python profilers write say what a frame is", () => {
  const execution = read("java-?/10992;read_[k];fast_[i];Foo::bar_[j];forward (model.py:12);nn.py(7): call;[unknown];std::vector<a b> 1\n");
  expect(stackLines(execution)).toEqual([
    "native:java-?/10992 > os_kernel:read > native:fast (inlined) > native:Foo::bar (jit) > python:forward (model.py:12) > python:call (nn.py:7) > native:[unknown] > native:std::vector<a b> | 1 × 1",
  ]);
});

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(2 + 2 * text.length);
  const view = new DataView(bytes.buffer);
  [0xfeff, ...Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))].forEach((unit, i) => view.setUint16(2 * i, unit, littleEndian));
  return bytes;
}

test.each([
  ["line ends of Windows", bytesOf("ä;b 2\r\nä 1\r\n")],
  ["a byte order mark", bytesOf("\uFEFFä;b 2\nä 1")],
  ["UTF-16, low byte first", utf16("ä;b 2\r\nä 1", true)],
  ["UTF-16, high byte first", utf16("ä;b 2\nä 1\n", false)],
])("%s", (_, bytes) => {
  expect(stackLines(read(bytes))).toEqual(["native:ä > native:b | 2 × 2", "native:ä | 1 × 1"]);
});

test("what is no stack and count is skipped, counted, and its first line named", () => {
  const { totals, notes } = read("# made by hand\n// twice\na 1\nno count\n\nb 1.5\nc -3\nd 2.0\n");
  expect(totals.value).toBe(3);
  expect(notes).toEqual(expect.arrayContaining(["Lines that are no stack and count, skipped: 3, the first is line 4", "Comment lines, skipped: 2"]));
});

test("the difference of two profiles is no recording", () => {
  expect(readFolded(bytesOf("a;b 1 2\na 3 4\n"))).toMatchObject({ ok: false, error: { reason: expect.stringContaining("difference of two profiles") } });
  expect(read("a;b 1 2\na 3\n").totals.value).toBe(5); // one frame may end in a number
});
