// What an execution did, from a file to the answer: import → record → comparison → one module over executions; clients that send none, and digests that are none.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openApi } from "#cli/api.ts";
import { importFile } from "#cli/import.ts";
import { recordOf } from "#cli/execution-record.ts";
import { findExecution } from "#cli/find-execution.ts";
import { compareRecords } from "#core/trace/compare-records.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { root } from "#local/worker.ts";
import type { Client } from "#test/rig/client.ts";
import { drawRecord } from "#test/rig/draw-record.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { executionUpload, nowS, oneSample, randomId, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

const digest = (value: unknown) => encodeUtf8(JSON.stringify(value));

async function store(tenant: Client, drawing: string, fields: Parameters<typeof executionUpload>[3] = {}): Promise<string> {
  const id = randomId(64);
  await tenant.upload("samples", samplesUpload(oneSample(50), { executionId: id, part: 1, parts: 1 }));
  await tenant.upload("executions", executionUpload(id, 1, 50n, { modelName: "org/net", digest: digest(drawRecord(drawing)), ...fields }));
  await rig.settled();
  return id;
}

test("two executions: their records, what differs, and a module over both", async () => {
  const tenant = await rig.tenant("records");
  const before = await store(tenant, ". Net 2 3000 4\n  layers.0 Layer 2 1000 2\n  layers.1 Layer 2 2000 2", { importedAtS: BigInt(nowS() - 60) });
  const after = await store(tenant, ". Net 2 2500 4\n  layers.0 Layer 2 1000 2\n  layers.1 Layer 2 1500 2");
  expect(await tenant.get("executionRecord", { params: { id: before } })).toEqual(drawRecord(". Net 2 3000 4\n  layers.0 Layer 2 1000 2\n  layers.1 Layer 2 2000 2"));

  const compared = await tenant.get("executionCompare", { params: { id: before }, query: { with: after } });
  expect(compared).toMatchObject({ basis: "total", difference: -500, modulesTotal: 3, modules: [{ path: "", difference: -500 }, { path: "layers.1", a: { value: 2_000 }, b: { value: 1_500 }, difference: -500, relative: -0.25 }, { path: "layers.0", difference: 0 }] });
  const first = await tenant.get("executionCompare", { params: { id: before }, query: { with: after, limit: "1" } });
  expect(first).toMatchObject({ modulesTotal: 3, modules: [{ path: "" }] });
  expect(first.modules).toHaveLength(1);

  const followed = await tenant.get("moduleHistory", { query: { path: "layers.1", model_name: "org/net" } });
  expect(followed.executions.map(({ execution, value, gpu }) => [execution.id, value, gpu.median])).toEqual([[after, 1_500, 750], [before, 2_000, 1_000]]);
  expect(followed.next).toBeNull();
  for (const query of [{ path: "layers.1", model_name: "org/other" }, { path: "layers.2", model_name: "org/net" }]) expect((await tenant.get("moduleHistory", { query })).executions).toEqual([]);
  await tenant.refused("parameter_invalid", "moduleHistory", { query: { path: "layers.1" } });
});

test("a record may be kept by the browser that asked, and is not sent again to one that has it", async () => {
  const tenant = await rig.tenant("kept");
  const id = await store(tenant, ". Net 1 50 1");
  const answer = await tenant.send("executionRecord", { params: { id } });
  expect(answer.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
  const again = await tenant.raw("GET", `/t/kept/api/executions/${id}/record`, { headers: { "if-none-match": answer.headers.get("etag")! } });
  expect([again.status, again.text]).toEqual([304, ""]);
  expect((await tenant.raw("GET", `/t/kept/api/executions/${id}/record`, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
});

describe("what has no record", () => {
  test("an older client's execution shows, and says why there is none", async () => {
    const tenant = await rig.tenant("older");
    const whole = await store(tenant, ". Net 1 50 1");
    for (const old of [new Uint8Array(), digest({ format: 1, headline: "1 kernel" })]) {
      const id = await store(tenant, "", { digest: old });
      expect(await tenant.get("execution", { params: { id } })).toMatchObject({ complete: true });
      const problem = await tenant.refused("record_not_stored", "executionRecord", { params: { id } });
      expect(problem.detail).toBe(`Execution ${id.slice(0, 12)}… was imported by a client that sent no record. Import its file again: lamella import FILE --again.`);
      await tenant.refused("record_not_stored", "executionCompare", { params: { id: whole }, query: { with: id } });
    }
  });

  test("an unknown execution is not found, on either side", async () => {
    const tenant = await rig.tenant("unknown");
    const whole = await store(tenant, ". Net 1 50 1");
    const other = await rig.tenant("other");
    await tenant.refused("not_found", "executionRecord", { params: { id: randomId(64) } });
    await tenant.refused("not_found", "executionCompare", { params: { id: whole }, query: { with: randomId(64) } });
    await tenant.refused("not_found", "executionCompare", { params: { id: randomId(64) }, query: { with: whole } });
    await other.refused("not_found", "executionRecord", { params: { id: whole } });
  });

  test.each<[string, Uint8Array, string]>([
    ["junk", encodeUtf8("hello"), "digest is not JSON in UTF-8"],
    ["a later format", digest({ format: 3 }), "digest has the format 3; 1 and 2 are known here. A newer client needs a newer server"],
    ["half a record", digest({ ...drawRecord(". Net 1 50 1"), modules: null }), "digest is no record: modules is not an object"],
  ])("%s as a digest is refused at the door", async (name, bytes, detail) => {
    const tenant = await rig.tenant(`refused-${name.replaceAll(" ", "-")}`);
    const problem = await tenant.refused("body_undecodable", "ingest", { params: { kind: "executions" }, body: executionUpload(randomId(64), 1, 50n, { digest: bytes }) });
    expect(problem.detail).toContain(detail);
  });
});

describe("the demo recording", () => {
  const recording = join(root, "local/demo/qwen3-demo.trace.json.gz");
  const lamella = async (...args: string[]) => (await promisify(execFile)(process.execPath, [join(root, "cli/lamella.mjs"), "--data-dir", rig.dataDir, ...args])).stdout;

  test("imported, its record is that of the file read without a server", async () => {
    const tenant = await rig.tenant("recording");
    const api = openApi({ url: rig.stack.url, tenant: tenant.slug, token: tenant.token });
    const { executionId } = await importFile(api, recording, { agentVersion: "flow test 1", progress: () => undefined });
    const stored = await tenant.get("executionRecord", { params: { id: executionId } });
    const { record } = await recordOf({}, recording);
    expect(stored).toEqual(record);
    expect(stored.modules.parent).toHaveLength(66);
    expect(await tenant.get("executionCompare", { params: { id: executionId }, query: { with: executionId, limit: "10000" } })).toEqual(compareRecords(record, record));
    for (const wanted of ["latest", executionId.slice(0, 8), executionId]) expect((await findExecution(api, wanted)).id).toBe(executionId);
    await expect(findExecution(api, "00000000")).rejects.toThrow("No execution begins with 00000000; see `lamella executions`.");
  });

  test("the command reports and compares it by its id, as latest, and as a file", async () => {
    const [{ executionId }] = JSON.parse(await lamella("import", recording, "--json")) as [{ executionId: string }];
    const report = await lamella("report", executionId.slice(0, 8));
    expect(report).toContain("qwen3-demo.trace.json.gz\nqwen3-demo · CPU");
    expect(report).toMatch(/ +24 +[\d.]+ ms +[\d.]+ ms +[\d.]+ ms +Qwen3DecoderLayer layers\.0…3 ×4/);
    expect(await lamella("report", recording)).toBe(report);
    expect(await lamella("report", "latest", "--module", "layers.2.mlp")).toContain("model.layers.2.mlp  Qwen3MLP\n");
    expect(JSON.parse(await lamella("compare", "latest", recording, "--json"))).toMatchObject({ executions: { a: { executionId }, b: { executionId: null } }, difference: 0, modulesTotal: 66 });
  });
});
