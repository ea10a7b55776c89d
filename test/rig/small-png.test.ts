import { crc32, deflateSync, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { readPixels, smallPng } from "#test/rig/small-png.ts";

const chunk = (name: string, data: Buffer) => {
  const [length, sum, named] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.concat([Buffer.from(name, "latin1"), data])];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};

// 3 × 2 pixels, RGB; the second row says how it differs from the one above (filter 2).
const png = (rows: number[]) =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", Buffer.from([0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0])),
    chunk("IDAT", deflateSync(Buffer.from(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
const picture = png([0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
const colours = [0xff0000, 0x00ff00, 0x0000ff, 0xff0000, 0x01ff00, 0x0000ff];

test("reads what Chromium writes", () => expect([...readPixels(picture).pixels]).toEqual(colours));

test("keeps every pixel where the colours fit a palette", () => {
  const small = smallPng(picture);
  expect(small.toString("latin1", 37, 41)).toBe("PLTE");
  const palette = small.subarray(41, 41 + small.readUInt32BE(33));
  const at = 41 + palette.length + 4;
  const rows = inflateSync(small.subarray(at + 8, at + 8 + small.readUInt32BE(at)));
  const seen = [0, 1].flatMap((y) => [0, 1, 2].map((x) => palette.readUIntBE(3 * rows[y * 4 + 1 + x]!, 3)));
  expect(seen).toEqual(colours);
});
