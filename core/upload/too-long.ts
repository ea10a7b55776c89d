import { limits } from "#schema/limits.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { over, type UploadProblem } from "./upload-problem.ts";

// The first of these texts that has more bytes of UTF-8 than the bound.
export function tooLong(texts: Readonly<Record<string, string>>, limit: "labelBytesMax" | "nameBytesMax"): UploadProblem | null {
  for (const [name, text] of Object.entries(texts)) {
    // A UTF-16 unit is at most three bytes: short texts need no count.
    if (text.length * 3 <= limits[limit]) continue;
    const bytes = encodeUtf8(text).length;
    if (bytes > limits[limit]) return over(`${name}, bytes`, bytes, limit);
  }
  return null;
}
