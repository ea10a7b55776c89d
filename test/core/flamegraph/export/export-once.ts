// A process of its own for large-export.test.ts: reads rows as the store sends them, makes their tree and every export of it, and prints what came out and what that
// took. node --max-old-space-size=64 export-once.ts FILE
import { readFileSync } from "node:fs";
import { stackRow } from "#clickhouse/stacks.ts";
import { writeExport } from "#core/flamegraph/export/write-export.ts";
import { treeOfStackRows } from "#core/flamegraph/stack-rows.ts";
import { exportFormatNames } from "#schema/export-formats.ts";
import { source } from "#test/rig/export-profiles.ts";

const residentMb = () => process.resourceUsage().maxRSS / 1024;
const before = residentMb();
const tree = treeOfStackRows(readFileSync(process.argv[2]!, "utf8").split("\n").filter(Boolean).map((line) => stackRow.parse(JSON.parse(line))), "cuda");
const bytes: Record<string, number> = {};
let longestPart = 0;
for (const format of exportFormatNames) {
  bytes[format] = 0;
  for (const part of writeExport(format, tree, source)) {
    bytes[format] += part.length;
    longestPart = Math.max(longestPart, part.length);
  }
}
console.log(JSON.stringify({ nodes: tree.parent.length, total: String(tree.total[0]), bytes, longestPart, grownMb: Math.round(residentMb() - before) }));
