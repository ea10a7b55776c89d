// A process of its own for worst-upload.test.ts: decodes one body, makes its rows, and prints what that took. node --max-old-space-size=64 decode-once.ts FILE
import { readFileSync } from "node:fs";
import { encodeNative } from "#clickhouse/native.ts";
import { tenantScope } from "#clickhouse/scope.ts";
import { decodeSamples } from "#core/upload/decode-samples.ts";
import { sampleRows } from "#workers/ingest/rows-samples.ts";

const bytes = new Uint8Array(readFileSync(process.argv[2]!));
const peakMb = () => process.resourceUsage().maxRSS / 1024;
const before = peakMb();
const start = performance.now();
const result = decodeSamples(bytes);
const decodeMs = performance.now() - start;
const decodeMb = peakMb() - before;
let blockBytes = 0;
if (result.ok) {
  const rows = sampleRows(tenantScope("a".repeat(16), 30), result.value, result.value.baseTimeS);
  for (const block of [rows.frames, rows.stacks, rows.samples]) blockBytes = Math.max(blockBytes, encodeNative(block()).length);
}
process.stdout.write(JSON.stringify({
  answer: result.ok ? "accepted" : `${result.error.code}: ${result.error.detail}`, bytes: bytes.length, decodeMs: Math.round(decodeMs), decodeMb: Math.round(decodeMb),
  rowsMb: Math.round(peakMb() - before), rowsMs: Math.round(performance.now() - start - decodeMs), blockBytes,
}));
