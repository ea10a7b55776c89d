// A profile as a file of one of the formats, in parts of some tens of kilobytes: the text of 100,000 stacks is larger than the memory of an isolate.
// Gzip is left to the edge; of these only pprof is always packed.
import type { ExportFormat } from "#schema/export-formats.ts";
import { encodeUtf8 } from "../../utf8.ts";
import { chromeTraceParts } from "./chrome-trace.ts";
import { csvParts } from "./csv.ts";
import type { ExportSource } from "./export-source.ts";
import { foldedParts } from "./folded.ts";
import { pprofParts } from "./pprof.ts";
import type { ProfileTree } from "./profile-tree.ts";
import { speedscopeParts } from "./speedscope.ts";

const partLength = 65_536; // characters of a text, bytes of pprof

export function writeExport(format: ExportFormat, tree: ProfileTree, source: ExportSource): Generator<Uint8Array> {
  switch (format) {
    case "pprof": return joinedBytes(pprofParts(tree, source));
    case "folded": return joinedText(foldedParts(tree));
    case "speedscope": return joinedText(speedscopeParts(tree, source));
    case "chrome": return joinedText(chromeTraceParts(tree, source));
    case "csv": return joinedText(csvParts(tree));
  }
}

function* joinedText(parts: Iterable<string>): Generator<Uint8Array> {
  let text = "";
  for (const part of parts) {
    text += part;
    if (text.length < partLength) continue;
    yield encodeUtf8(text);
    text = "";
  }
  if (text !== "") yield encodeUtf8(text);
}

function* joinedBytes(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    waiting.push(part);
    length += part.length;
    if (length < partLength) continue;
    yield joined(waiting, length);
    [waiting, length] = [[], 0];
  }
  if (length > 0) yield joined(waiting, length);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
