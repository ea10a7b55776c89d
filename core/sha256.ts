// SHA-256, synchronous: identities are computed inside pure functions, where Web Crypto's promises cannot go.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { encodeUtf8 } from "./utf8.ts";

// 64 lower-case hex digits of the bytes, or of the text as UTF-8.
export function sha256Hex(input: string | Uint8Array): string {
  return bytesToHex(sha256(typeof input === "string" ? encodeUtf8(input) : input));
}
