import { limits } from "#schema/limits.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { over, type UploadProblem } from "./upload-problem.ts";

// The first of these texts that has more bytes of UTF-8 than the bound.
export function tooLong(texts: Readonly<Record<string, string>>, limit: "labelBytesMax" | "nameBytesMax"): UploadProblem | null {
  for (const [name, text] of Object.entries(texts)) {
    const bytes = bytesOver(text, limits[limit]);
    if (bytes > 0) return over(`${name}, bytes`, bytes, limit);
  }
  return null;
}

// Of a list, which can have a million: no name is made of a text that is short enough.
export function tooLongIn<T>(list: readonly T[], limit: "labelBytesMax" | "nameBytesMax", name: (row: number) => string, textOf: (one: T) => string): UploadProblem | null {
  for (const [row, one] of list.entries()) {
    const bytes = bytesOver(textOf(one), limits[limit]);
    if (bytes > 0) return over(`${name(row)}, bytes`, bytes, limit);
  }
  return null;
}

// Its bytes of UTF-8 where they are more than `max`, else 0. A UTF-16 unit is at most three bytes: short texts need no count.
function bytesOver(text: string, max: number): number {
  const bytes = text.length * 3 <= max ? 0 : encodeUtf8(text).length;
  return bytes > max ? bytes : 0;
}

// Of all these texts together.
export function tooLongTogether(what: string, texts: Iterable<string>, limit: "executionTextBytesMax" | "workloadTextBytesMax"): UploadProblem | null {
  let bytes = 0;
  for (const text of texts) bytes += encodeUtf8(text).length;
  return bytes > limits[limit] ? over(what, bytes, limit) : null;
}
