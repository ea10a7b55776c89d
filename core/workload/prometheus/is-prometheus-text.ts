// Whether a file begins like Prometheus text, from its first bytes (4 KiB are plenty).
import { decodeUtf8 } from "#core/utf8.ts";
import { engineOf } from "./engine-names.ts";

// A comment of the format, or a series of an engine: "name 12" alone would also be a folded stack.
export function isPrometheusText(head: Uint8Array): boolean {
  return decodeUtf8(head).split("\n").some((line) => {
    if (/^\s*#\s*(HELP|TYPE|UNIT)\s+\S+\s/.test(line)) return true;
    const name = /^\s*([a-zA-Z_:][\w:]*)(\{[^}]*\}?)?\s+\S/.exec(line)?.[1];
    return name !== undefined && engineOf(name) !== null;
  });
}
