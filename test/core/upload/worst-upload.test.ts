// The largest uploads that may arrive, each decoded by a process with a heap of 64 MB, and turned into rows there: an isolate has 128 MB for everything.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { limits } from "#schema/limits.ts";
import { varint } from "#test/rig/wire-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "lamella-worst-"));
afterAll(() => rmSync(folder, { recursive: true }));

const bodyBytesMax = limits.inflatedBytesMax;
const growthMbMax = 112; // resident, typed arrays and all

const content = (field: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(body.length)]), body]);
};
const repeated = (bytes: readonly number[], times: number): Buffer => Buffer.concat(new Array<Buffer>(times).fill(Buffer.from(bytes)));
const column = (field: number, rows: number, value: (row: number) => number): Buffer => content(field, Buffer.from(Array.from({ length: rows }, (_, row) => varint(value(row))).flat()));
const head = Buffer.from([0x10, 1, 0x30, ...varint(1_764_426_720)]);

// Every table at its bound, the references at theirs, and the rest of the bytes are names.
function everything(): Buffer {
  const { framesPerUploadMax: frames, stacksPerUploadMax: stacks, samplesPerUploadMax: samples, contextsPerUploadMax: contexts, frameReferencesMax: references, stringsPerUploadMax: strings } = limits;
  const depth = Math.floor(references / (stacks - 1));
  const rest = references - depth * (stacks - 2);
  const after0 = (value: (row: number) => number) => (row: number) => (row === 0 ? 0 : value(row));
  const tables = Buffer.concat([
    content(8, column(1, frames, after0(() => 5)), column(2, frames, after0((row) => 1 + (row % (strings - 1)))), column(3, frames, after0((row) => strings - 1 - row)), column(4, frames, after0((row) => row))),
    content(9, column(1, stacks, after0((row) => (row === stacks - 1 ? rest : depth))), column(2, references, (i) => 1 + ((i * 7919) % (frames - 1)))),
    content(10, column(1, contexts, after0(() => 1)), ...Array.from({ length: 15 }, (_, i) => column(2 + i, contexts, after0((row) => 1 + row + i))), column(17, contexts, after0(() => 4)), column(18, (contexts - 1) * 4, (i) => 1 + (i % (strings - 1)))),
    content(11, column(1, samples, (row) => 1 + (row % (stacks - 1))), column(2, samples, (row) => 1 + (row % (contexts - 1))), column(3, samples, (row) => row % 3_600), column(4, samples, (row) => 2 ** 48 - row), column(5, samples, (row) => row), column(6, samples, (row) => row)),
  ]);
  // One wide character in each: the engine then keeps two bytes a character.
  const bytesEach = Math.floor((bodyBytesMax - head.length - tables.length) / (strings - 1)) - 2;
  const word = (i: number) => content(7, Buffer.from(`é→${i}`.padEnd(bytesEach - 3, "x")));
  return Buffer.concat([head, content(7), ...Array.from({ length: strings - 1 }, (_, i) => word(i)), tables]);
}

const noText = content(7);
const fill = (bytes: readonly number[]) => repeated(bytes, Math.floor((bodyBytesMax - 64) / bytes.length));
const over = (what: string, found: number, limit: keyof typeof limits) => `limit_exceeded: ${what}: ${found} is over the bound of ${limits[limit]} (${limit}); send it in more, smaller uploads`;
const elements = Math.floor((bodyBytesMax - 64) / 2);

const worst: [string, () => Buffer, string][] = [
  ["every table at its bound", everything, "accepted"],
  ["a million frame references, unpacked", () => Buffer.concat([
    head, noText, content(7, Buffer.from("main")), content(8, column(1, 2, (row) => row * 2), column(2, 2, (row) => row)),
    content(9, column(1, 1_001, (row) => (row === 0 ? 0 : 1_000)), repeated([0x10, 1], 1_000_000)),
  ]), "accepted"],
  ["millions of references, unpacked", () => Buffer.concat([head, noText, content(9, fill([0x10, 1]))]), over("stacks.frame, references", elements, "frameReferencesMax")],
  ["millions of rows", () => Buffer.concat([head, noText, content(11, content(1, Buffer.alloc(bodyBytesMax - 64)))]), over("samples, rows", bodyBytesMax - 64, "samplesPerUploadMax")],
  ["millions of empty columns", () => Buffer.concat([head, noText, content(9, fill([0x12, 0]))]), "accepted"],
  ["millions of empty tables", () => Buffer.concat([head, noText, fill([0x42, 0])]), "accepted"],
  ["millions of unknown fields", () => Buffer.concat([head, noText, content(8, fill([0x78, 1]))]), "accepted"],
  ["millions of empty strings", () => Buffer.concat([head, fill([0x3a, 0])]), over("strings", limits.stringsPerUploadMax + 1, "stringsPerUploadMax")],
  ["one text of 8 MiB", () => Buffer.concat([head, content(7, Buffer.alloc(bodyBytesMax - 64, "x"))]), over("strings[0], bytes", bodyBytesMax - 64, "nameBytesMax")],
  ["one version of 8 MiB", () => Buffer.concat([content(1, Buffer.alloc(bodyBytesMax - 64, "x")), head]), over("agent_version, bytes", bodyBytesMax - 64, "labelBytesMax")],
];

test.each(worst)("%s", (name, build, expected) => {
  const file = join(folder, `${worst.findIndex(([one]) => one === name)}.bin`);
  const body = build();
  expect(body.length).toBeLessThanOrEqual(bodyBytesMax);
  writeFileSync(file, body);
  const script = fileURLToPath(new URL("decode-once.ts", import.meta.url));
  const found = JSON.parse(execFileSync(process.execPath, ["--max-old-space-size=64", "--disable-warning=ExperimentalWarning", script, file], { encoding: "utf8" })) as { answer: string; decodeMb: number; rowsMb: number };
  expect(found.answer).toBe(expected);
  expect(found.decodeMb).toBeLessThan(growthMbMax / 2);
  expect(found.rowsMb).toBeLessThan(growthMbMax);
});
