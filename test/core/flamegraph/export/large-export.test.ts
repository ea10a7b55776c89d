// The largest export that is allowed, in every format, in the memory of an isolate: it is written in pieces, and is whole.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { limits } from "#schema/limits.ts";
import { largeProfile } from "#test/rig/export-profiles.ts";
import { stackRowsOf } from "#test/rig/profile-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "lamella-export-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const profile = largeProfile(limits.exportStacksMax);
const rows = stackRowsOf(profile);
const file = join(folder, "rows.jsonl");
writeFileSync(file, rows.map((row) => JSON.stringify(row)).join("\n"));

test("is near both bounds", () => {
  const { all_stacks: stacks, all_nodes: nodes } = rows[0]!;
  expect(stacks / limits.exportStacksMax).toBeGreaterThan(0.99);
  expect(nodes).toBeLessThanOrEqual(limits.exportNodesMax);
  expect(nodes / limits.exportNodesMax).toBeGreaterThan(0.8);
});

// 64 MB of heap; the columns lie outside it.
test("is written whole, in pieces", () => {
  const script = fileURLToPath(new URL("export-once.ts", import.meta.url));
  const found = JSON.parse(execFileSync(process.execPath, ["--max-old-space-size=64", "--disable-warning=ExperimentalWarning", script, file], { encoding: "utf8" })) as { bytes: Record<string, number>; longestPart: number; grownMb: number };
  expect(found).toMatchObject({ nodes: rows[0]!.all_nodes + 1, total: String(profile.stacks.reduce((sum, { value }) => sum + value, 0n)) });
  expect(found.bytes["folded"]).toBeGreaterThan(100e6); // more than an isolate has
  expect(found.longestPart).toBeLessThan(256 * 1024);
  expect(found.grownMb).toBeLessThan(128);
});
