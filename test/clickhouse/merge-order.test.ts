// Pipeline stages stored as the consumer stores them, into a real ClickHouse, in any order and more than once: what is merged in the end is what was received last, run by
// run, and nothing is ever merged of two runs.
import fc from "fast-check";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openStore, type Store } from "#clickhouse/client.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import { singleRank } from "#core/shape/layout.ts";
import { mergeParts } from "#core/shape/merge.ts";
import type { ShapePart } from "#core/shape/part.ts";
import { migrateStore } from "#local/store.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { Embedded } from "#test/local/clickhouse/embedded.ts";
import { storeUpload } from "#workers/ingest/store-upload.ts";

const embedded = new Embedded();
let store: Store;
beforeAll(async () => {
  await embedded.start();
  const { url, credentials } = embedded.clickhouse;
  await migrateStore(url, "lamella", credentials.writer, null, () => undefined);
  store = openStore({ url, database: "lamella", ...credentials, remote: false });
});
afterAll(() => embedded.remove());

const nowS = Math.floor(Date.now() / 1_000) - 3_600;
const modelKey = "a".repeat(32);
let tenants = 0;

// Structures a, b and c; of each two stages.
const bodyOf = (name: string) => drawShape(`Net\n  ${name[1] === "0" ? "first" : "second"} Linear w:float32[${"abc".indexOf(name[0]!) + 1}]`);
const merged = (first: string, second: string) => {
  const found = mergeParts([first, second].map((name, ppRank) => ({ ppRank, ppSize: 2, body: bodyOf(name) })));
  if (!found.ok) throw new Error(found.error.detail);
  return canonicalShape(found.value).shapeId;
};
const nameOf = new Map(["a0", "b0", "c0"].flatMap((first) => ["a1", "b1", "c1"].map((second): [string, string] => [merged(first, second), first + second])));

interface Sent {
  name: string;
  run: string; // "" = not said
  atS: number; // received, after `nowS`
}

// One upload keeps its id, however often the queue brings it.
const uploadIds = new WeakMap<Sent, string>();

async function bring(scope: TenantScope, sent: Sent): Promise<void> {
  const { name, run, atS } = sent;
  const uploadId = uploadIds.get(sent) ?? randomBytes(32).toString("hex");
  uploadIds.set(sent, uploadId);
  const body = bodyOf(name);
  const part: ShapePart = {
    agentVersion: "1", modelKey, ppRank: Number(name[1]), ppSize: 2, partHash: canonicalShape(body).shapeId, runId: run === "" ? undefined : run.repeat(32), body: canonicalShape(body).body, layout: { ...singleRank(), ppSize: 2 },
  };
  const receivedAtMs = (nowS + atS) * 1_000;
  await storeUpload(store, scope, { v: 1, tenantId: scope.tenantId, kind: "shapes", uploadId, receivedAtMs, bodyBytes: 1 }, { kind: "shapes", part }, Date.now());
}

// What was merged, the newest first: "a0a1 of run 1".
async function wholes(scope: TenantScope): Promise<string[]> {
  const row = z.object({ shape_id: z.string(), run_id: z.string() });
  const sql = "SELECT shape_id, run_id FROM model_shapes FINAL WHERE tenant_id = {tenant:String} ORDER BY stored_at DESC, parts_received_s DESC, run_id";
  const found = await store.select(scope, { sql, params: {} }, row, { label: "test: wholes", queryId: crypto.randomUUID() });
  return found.map(({ shape_id: shapeId, run_id: run }) => `${nameOf.get(shapeId)} of run ${run === "" ? "none" : run[0]}`);
}

async function broughtInOrder(order: readonly Sent[]): Promise<string[]> {
  const scope = tenantScope(`${"abcdefghijklmnopqrstuvwxyz"[Math.floor(tenants / 26)]}${"abcdefghijklmnopqrstuvwxyz"[tenants++ % 26]}`.repeat(8), 30);
  for (const sent of order) await bring(scope, sent);
  return await wholes(scope);
}

// Run 1 is of a. Run 2 is of b, and changes to c while it runs.
const two: Sent[] = [
  { name: "a0", run: "1", atS: 0 }, { name: "a1", run: "1", atS: 1 }, { name: "b0", run: "2", atS: 60 }, { name: "b1", run: "2", atS: 61 }, { name: "c0", run: "2", atS: 600 }, { name: "c1", run: "2", atS: 630 },
];

test("in the order of their receipt: the old whole, the new, the one between while stages change, the last", async () => {
  expect(await broughtInOrder(two)).toEqual(["c0c1 of run 2", "c0b1 of run 2", "b0b1 of run 2", "a0a1 of run 1"]);
});

test("late, reordered and repeated: the newest of a run is what its stages said last, and nothing is of two runs", async () => {
  await fc.assert(fc.asyncProperty(fc.shuffledSubarray([...two, ...two], { minLength: 12 }), async (order) => {
    const found = await broughtInOrder(order);
    expect(found.filter((whole) => whole.endsWith("run 2"))[0]).toBe("c0c1 of run 2");
    expect(found.filter((whole) => whole.endsWith("run 1"))).toEqual(["a0a1 of run 1"]);
    for (const whole of found) expect(whole).toMatch(/^(a0a1 of run 1|[bc]0[bc]1 of run 2)$/);
  }), { numRuns: 4 });
});

test("a restart of which only one stage has reported is merged with nothing, whichever stage that is and however late the old ones come", async () => {
  const [a0, a1, b0, b1] = two as [Sent, Sent, Sent, Sent];
  for (const order of [[a0, a1, b0], [b0, a0, a1], [a1, b0, a0, a1], [a0, b1, a1, b1]]) expect(await broughtInOrder(order)).toEqual(["a0a1 of run 1"]);
  expect(await broughtInOrder([a0, b1])).toEqual([]);
});

test("without a run: by receipt too, with the old neighbour until the new one comes, and never with stages of a run", async () => {
  const [a0, a1, b0, b1] = two.map((sent) => ({ ...sent, run: "" })) as [Sent, Sent, Sent, Sent];
  expect(await broughtInOrder([a0, a1, b0])).toEqual(["b0a1 of run none", "a0a1 of run none"]);
  expect(await broughtInOrder([a0, a1, b0, b1])).toEqual(["b0b1 of run none", "b0a1 of run none", "a0a1 of run none"]);
  expect(await broughtInOrder([b0, b1, a0, a1, a0])).toEqual(["b0b1 of run none"]); // the queue brings the old ones late
  expect(await broughtInOrder([a0, two[3]!])).toEqual([]);
});
