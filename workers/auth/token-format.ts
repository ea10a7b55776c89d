// The text of a token: lml_<kind>_<id>_<secret><crc>. The id is public (lookup key, shown in lists and audit), the secret is 32 random bytes in base62, the
// checksum lets a typo or a cut paste be refused without a database read and gives secret scanners a precise pattern. Only the SHA-256 is ever stored:
// 256 random bits need no slow hash.
import type { TokenKind } from "#schema/identity.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const base32 = "abcdefghijklmnopqrstuvwxyz234567";
const secretLength = 43; // 62^43 > 2^256
const crcLength = 6;
const pattern = /^lml_(agt|api|ci)_([a-z2-7]{12})_([0-9A-Za-z]{49})$/;

export function randomBase32(length: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => base32[byte & 31]).join("");
}

export function newToken(kind: TokenKind): { id: string; text: string } {
  const id = randomBase32(12);
  const secret = inBase62(crypto.getRandomValues(new Uint8Array(32)), secretLength);
  const body = `lml_${kind}_${id}_${secret}`;
  return { id, text: body + checksum(body) };
}

// The token's id, or null when the text is not a token (wrong shape or checksum).
export function tokenIdOf(text: string): string | null {
  const match = pattern.exec(text);
  if (match === null || checksum(text.slice(0, -crcLength)) !== text.slice(-crcLength)) return null;
  return match[2]!;
}

export async function sha256Hex(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Compares without telling by its time where two texts differ.
export function equalInConstantTime(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

function inBase62(bytes: Uint8Array, length: number): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = "";
  for (let i = 0; i < length; i++) {
    text = base62[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text;
}

function checksum(text: string): string {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return inBase62(new Uint8Array(Uint32Array.of((crc ^ 0xffffffff) >>> 0).buffer), crcLength);
}
