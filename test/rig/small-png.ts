// A screenshot as a PNG of at most 256 colours: a third of the size, and pages have few colours. Reads what Chromium writes: 8 bits, RGB or RGBA, not interlaced.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const coloursMax = 256;

export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels } = readPixels(png);
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  // The frequent ones; but none that is all but equal to one taken already, so that gradients of rare colours get their share.
  const byUse = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const palette: number[] = [];
  for (const apart of [24, 12, 6, 0]) {
    for (const colour of byUse) {
      if (palette.length >= coloursMax) break;
      if (!palette.some((taken) => distance(taken, colour) <= apart)) palette.push(colour);
    }
  }
  const nearest = new Map<number, number>(palette.map((colour, at) => [colour, at]));
  const rows = Buffer.alloc(height * (width + 1)); // each row begins with its filter: none, which suits a palette
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = pixels[y * width + x]!;
      let at = nearest.get(colour);
      if (at === undefined) {
        at = 0;
        for (let one = 1; one < palette.length; one++) if (distance(palette[one]!, colour) < distance(palette[at]!, colour)) at = one;
        nearest.set(colour, at);
      }
      rows[y * (width + 1) + 1 + x] = at;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8); // 8 bits, palette
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([signature, chunk("IHDR", head), chunk("PLTE", colours), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

// Squared, in the plain cube of colours: good enough to tell which is nearer.
function distance(a: number, b: number): number {
  return ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

// One number a pixel: 0xRRGGBB. A page has no transparent pixels.
export function readPixels(png: Buffer): { readonly width: number; readonly height: number; readonly pixels: Uint32Array } {
  const parts: Buffer[] = [];
  let [width, height, samples] = [0, 0, 0];
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      samples = { 2: 3, 6: 4 }[data[9]!] ?? 0;
      if (data[8] !== 8 || samples === 0 || data[12] !== 0) throw new Error(`a PNG of bit depth ${data[8]}, colour type ${data[9]}, interlaced ${data[12]}`);
    } else if (name === "IDAT") parts.push(data);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * samples;
  const rows = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]!;
    for (let x = 0; x < stride; x++) {
      const left = x < samples ? 0 : rows[y * stride + x - samples]!;
      const up = y === 0 ? 0 : rows[(y - 1) * stride + x]!;
      const upLeft = x < samples || y === 0 ? 0 : rows[(y - 1) * stride + x - samples]!;
      rows[y * stride + x] = raw[y * (stride + 1) + 1 + x]! + [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter]!;
    }
  }
  return { width, height, pixels: Uint32Array.from({ length: width * height }, (_, at) => (rows[at * samples]! << 16) | (rows[at * samples + 1]! << 8) | rows[at * samples + 2]!) };
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)];
  return a <= b && a <= c ? left : b <= c ? up : upLeft;
}
