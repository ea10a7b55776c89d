// Text to UTF-8 bytes and back: the file of core that names the platform's encoder and decoder (core compiles without DOM and Node types).
// Invariant: nothing throws. A lone surrogate has no UTF-8 and is encoded as U+FFFD; bytes that are not UTF-8 decode to U+FFFD, or to null when asked strictly.

declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (label: "utf-8", options: { ignoreBOM: boolean; fatal?: boolean }) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

// Null when the bytes are not UTF-8.
export function decodeUtf8Strict(bytes: Uint8Array): string | null {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return null;
  }
}
