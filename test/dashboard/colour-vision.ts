// Colour difference as published: CIEDE2000 (Sharma, Wu, Dalal 2005) over CIELAB D65, and full dichromacy after Machado, Oliveira, Fernandes 2009.
type Triple = readonly [number, number, number];
export const visions = ["normal", "protan", "deutan", "tritan"] as const;
export type Vision = (typeof visions)[number];

const dichromacy: Readonly<Record<Exclude<Vision, "normal">, readonly Triple[]>> = {
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const toXyz: readonly Triple[] = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const white: Triple = [0.95047, 1, 1.08883];

// CIELAB of a hex colour as that vision sees it.
export function seenBy(vision: Vision, colour: string): Triple {
  const rgb =
    vision === "normal"
      ? linear(colour)
      : (times(dichromacy[vision], linear(colour)).map((part) => Math.min(1, Math.max(0, part))) as unknown as Triple);
  const [x, y, z] = times(toXyz, rgb).map((part, at) => root(part / (white[at] as number))) as unknown as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

// WCAG 2 contrast ratio.
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

export function deltaE2000([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)));
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)];
  const [h1, h2] = [angle(b1, x1), angle(b2, x2)];
  let turn = c1 * c2 === 0 ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  const dh = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2));
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const h = c1 * c2 === 0 ? h1 + h2 : Math.abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2;
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63));
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [sc, sh] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const rotation = -Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2)))) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  return Math.sqrt(((l2 - l1) / sl) ** 2 + ((c2 - c1) / sc) ** 2 + (dh / sh) ** 2 + rotation * ((c2 - c1) / sc) * (dh / sh));
}

function luminance(colour: string): number {
  const [r, g, b] = linear(colour);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function linear(colour: string): Triple {
  return [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as unknown as Triple;
}
function times(matrix: readonly Triple[], [x, y, z]: Triple): Triple {
  return matrix.map((row) => row[0] * x + row[1] * y + row[2] * z) as unknown as Triple;
}
function root(part: number): number {
  return part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116;
}
function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
function angle(y: number, x: number): number {
  return ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;
}
