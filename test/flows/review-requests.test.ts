// Requests that nobody should send, and lists that are longer than one answer.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "#local/worker.ts";
import { expectTotals } from "#test/rig/invariants.ts";
import { asProblem, type Client } from "#test/rig/client.ts";
import { StackRig } from "#test/rig/stack.ts";
import { until } from "#test/rig/until.ts";
import { oneSample, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
let owner: Client;
beforeAll(async () => {
  rig = await StackRig.open();
  owner = await rig.tenant("acme");
});
afterAll(() => rig.remove());

describe("a path of the Worker's own never answers with a page", () => {
  test.each(["/t/acme/api", "/t/acme/ingest", "/t/a/b/api/me", "/docs/nothing", "/sign-in/nothing", "/sign-out"])("%s", async (path) => {
    asProblem("not_found", await owner.raw("GET", path));
  });
});

describe("a parameter that the route does not have is refused, not read over", () => {
  test.each([["flamegraph", "fliter", /`fliter` is no parameter here.*filter/], ["me", "x", /takes none/], ["models", "__proto__", /no parameter/]] as const)("%s: %s", async (route, name, words) => {
    const answer = await rig.demo.raw("GET", `/t/demo/api/${route}?${name}=1`);
    expect(asProblem("parameter_invalid", answer).detail).toMatch(words);
  });
});

test("a JSON body over its bound is refused, however it is sent", async () => {
  const long = `{"name":"${"x".repeat(70_000)}"}`;
  asProblem("body_too_large", await owner.raw("POST", "/t/acme/api/tokens", { body: long }));
  const stream = new ReadableStream({ start: (to) => (to.enqueue(new TextEncoder().encode(long)), to.close()) });
  asProblem("body_too_large", await owner.raw("POST", "/t/acme/api/tokens", { body: stream, duplex: "half" } as RequestInit as { body: BodyInit }));
});

test("a token that is bound to a job tag creates none that is free of it", async () => {
  const create = (client: Client, jobTag?: string) => client.send("tokenCreate", { body: { name: "ci", kind: "ci", scopes: ["ingest", "admin"], days: 1, ...(jobTag === undefined ? {} : { jobTag }) } });
  const bound = owner.as((JSON.parse((await create(owner, "main")).text) as { secret: string }).secret);
  for (const tag of [undefined, "other"]) expect(asProblem("scope_missing", await create(bound, tag)).detail).toContain('"main"');
  expect((await create(bound, "main")).status).toBe(201);
});

test("live tokens are listed before a thousand that ended", async () => {
  const tenant = await rig.tenant("many-tokens");
  await rig.stack.worker.control
    .prepare(`INSERT INTO tokens (id, tenant_id, hash, kind, name, scopes, created_by, created_at, expires_at, revoked_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT 'old' || i, ?1, '', 'api', 'old', '[]', 'test', ?2 + i, ?2 + 1000000, ?2 FROM n`)
    .bind(tenant.tenantId, Date.now())
    .run();
  expect((await tenant.get("tokens")).tokens[0]).toMatchObject({ name: expect.stringContaining("many-tokens"), revokedAt: null });
});

test("sessions and links that ended are forgotten, those that live are not", async () => {
  const { control, sweep } = rig.stack.worker;
  const count = async () => (await control.prepare("SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM sign_in_links) AS links").first<{ sessions: number; links: number }>())!;
  const signedIn = await fetch(await rig.stack.signInUrl(), { redirect: "manual" });
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  const before = await count();
  const user = (await control.prepare("SELECT id FROM users LIMIT 1").first<{ id: string }>())!.id;
  await control.prepare("INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ('ended', ?, 0, 1)").bind(user).run();
  await control.prepare("INSERT INTO sign_in_links (hash, user_id, tenant_slug, expires_at) VALUES ('ended', ?, 'demo', 1)").bind(user).run();
  await sweep("start");
  expect(await count()).toEqual(before);
  expect((await rig.demo.as("").send("me", {}, { cookie })).status).toBe(200);
});

describe("quarantine", () => {
  const failed = (id: string) => until("a failed try", () => rig.log.filter((line) => line.includes(id)).length, (found) => found > 0);

  test("a dead letter of what is stored meanwhile changes nothing", async () => {
    const tenant = await rig.tenant("late-letter");
    const uploadId = await tenant.upload("samples", samplesUpload(oneSample(5)));
    await rig.settled();
    const letter = { v: 1, tenantId: tenant.tenantId, kind: "samples", uploadId, receivedAtMs: Date.now(), bodyBytes: 1 };
    expect(await rig.stack.worker.deliver("lamella-uploads-dead", [letter])).toEqual([0]);
    expect(await tenant.get("quarantine")).toEqual({ uploads: [] });
    await expectTotals(rig, tenant, { uploads: 1, samples: 1, value: 5n });
  });

  test("what was not replayed is listed first and counted whole, and `replay all` reaches it behind a thousand others", async () => {
    rig.front.down = true;
    const uploadId = await rig.demo.upload("samples", samplesUpload(oneSample(9)));
    await failed(uploadId);
    const letter = { v: 1, tenantId: rig.demo.tenantId, kind: "samples", uploadId, receivedAtMs: Date.now(), bodyBytes: 1 };
    await rig.stack.worker.deliver("lamella-uploads-dead", [letter]);
    await rig.stack.worker.control
      .prepare(`INSERT INTO quarantine (tenant_id, upload_id, kind, code, detail, body_bytes, received_at, at, replayed_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) SELECT ?1, printf('%064x', i), 'samples', 'body_missing', '', 1, 0, ?2 + 1000 + i, ?2 FROM n`)
      .bind(rig.demo.tenantId, Date.now())
      .run();
    expect((await rig.demo.get("quarantine")).uploads[0]).toMatchObject({ uploadId, replayedAt: null });
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, "cli/lamella.mjs"), "--data-dir", rig.dataDir, "quarantine", "replay", "all"]);
    expect(stdout).toBe("queued 1 upload again\n");
    rig.front.down = false;
    await rig.stack.worker.sweep("start");
    await rig.settled();
    expect((await rig.demo.get("status")).uploads).toMatchObject({ stored: 1, quarantined: 0 });
  });
});
