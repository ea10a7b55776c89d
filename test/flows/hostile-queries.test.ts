// Questions made to break something: long and odd texts in every parameter of every route, ids and cursors of another tenant.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeUtf8 } from "#core/utf8.ts";
import { type Route, type RouteName, routeNames, routes } from "#schema/api/routes.ts";
import { limits } from "#schema/limits.ts";
import type { Client, Input, Raw } from "#test/rig/client.ts";
import { drawRecord } from "#test/rig/draw-record.ts";
import { StackRig } from "#test/rig/stack.ts";
import { everyRoute, furnish, type Things } from "#test/rig/tour.ts";
import { executionUpload, oneSample, randomId, samplesUpload, workloadUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
let ada: Client; // has something of everything
let ben: Client; // has an execution and a workload of his own, and asks for hers
let hers: Things;
const own = { executionId: randomId(64), workloadId: randomId(64) };
beforeAll(async () => {
  rig = await StackRig.open();
  ada = await rig.tenant("ada");
  ben = await rig.tenantWithModels("ben");
  hers = await furnish(rig, ada, "node-of-ada");
  await rig.send(
    ben, ["samples", samplesUpload(oneSample(50), { executionId: own.executionId, part: 1, parts: 1 })],
    ["executions", executionUpload(own.executionId, 1, 50n, { modelName: "org/net", digest: encodeUtf8(JSON.stringify(drawRecord(".  Net 1 50 1"))) })], ["workloads", workloadUpload(3, { workloadId: own.workloadId })],
  );
});
afterAll(() => rig.remove());

// What was asked for is never the server's fault: an answer, or a refusal that says what is wrong. Each is held to the contract by the client.
describe("a parameter of any length and content", () => {
  const texts = ["é", "'", "\u0000", "\u202e"].map((piece) => piece.repeat(Math.floor(10_000 / encodeURIComponent(piece).length) + 1)).concat("x".repeat(limits.nameBytesMax), `a=${"x".repeat(limits.nameBytesMax - 2)}`, "\\".repeat(limits.nameBytesMax));
  // Those that take any text; others are words of a list, numbers or digits (test/workers/parameters.test.ts).
  const free = ({ query }: Route) => Object.entries(query?.shape ?? {}).filter(([, one]) => (one as { safeParse(value: string): { success: boolean } }).safeParse("x").success).map(([parameter]) => parameter);
  const cases = routeNames.flatMap((name) => free(routes[name]).map((parameter) => [name, parameter] as const));

  test.each(cases)("%s: %s", async (name, parameter) => {
    const call = everyRoute(hers)[name];
    const caller = await rig.tenant("ada"); // with a token, and so a rate, of its own
    for (const text of texts) {
      const { status, text: said } = await caller.send(name, { ...call, query: { ...call.query, [parameter]: text } });
      expect([200, 400, 404, 422], `${text.slice(0, 5)} × ${text.length}: ${said.slice(0, 300)}`).toContain(status);
    }
  });
});

// All of an answer that may not differ.
const essence = ({ status, headers, text }: Raw) => ({ status, headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date"), text: text.replace(/"requestId":"[^"]+"/, "") });

test("one's own and another tenant's are compared as one's own and nothing", async () => {
  const compare = (id: string, other: string): Input => ({ params: { id }, query: { with: other } });
  expect((await ben.send("executionCompare", compare(own.executionId, own.executionId))).status).toBe(200);
  for (const of of [(id: string) => compare(own.executionId, id), (id: string) => compare(id, own.executionId)]) {
    const theirs = await ben.send("executionCompare", of(hers.executionId));
    expect(theirs.status).toBe(404);
    expect(essence(theirs)).toEqual(essence(await ben.send("executionCompare", of(randomId(64)))));
  }
});

test("another tenant's ETag, cursor, prefix and model name open nothing", async () => {
  const hisOwn = { executions: [own.executionId], workloads: [own.workloadId] };
  const { headers } = await ada.raw("GET", `/t/ada/api/executions/${hers.executionId}/record`);
  for (const id of [hers.executionId, randomId(64)]) expect((await ben.send("executionRecord", { params: { id } }, { "if-none-match": headers.get("etag")! })).status).toBe(404);
  const at = Math.floor(Date.now() / 1_000) + 60;
  // Places behind all of hers: a cursor says where to go on, never whose.
  expect((await ben.get("executions", { query: { cursor: `${at}.${hers.executionId}` } })).executions.map(({ id }) => id)).toEqual(hisOwn.executions);
  expect((await ben.get("workloads", { query: { cursor: `${at * 1_000}.${hers.workloadId}` } })).workloads.map(({ id }) => id)).toEqual(hisOwn.workloads);
  expect((await ben.get("moduleHistory", { query: { path: "", model_name: "org/net", cursor: `${at}.${hers.executionId}` } })).executions.map(({ execution }) => execution.id)).toEqual(hisOwn.executions);
  expect((await ben.get("executions", { query: { prefix: hers.executionId.slice(0, 12) } })).executions).toEqual([]);
  expect((await ben.get("workloads", { query: { prefix: hers.workloadId.slice(0, 12) } })).workloads).toEqual([]);
  for (const cursor of ["request~3", "-latencyUs~0"]) await ben.refused("not_found", "workloadRequests", { params: { id: hers.workloadId }, query: { cursor } });
});

test.each<[RouteName, Input, string[]]>([
  ["executions", {}, ["1.x", `99999999999.${"a".repeat(64)}`, `-1.${"a".repeat(64)}`, "", `4294967296.${"a".repeat(64)}`]],
  ["workloads", {}, ["1", `9999999999999999.${"a".repeat(64)}`, `1e3.${"a".repeat(64)}`]],
  ["moduleHistory", { query: { path: "", model_name: "x" } }, [`1.${"A".repeat(64)}`, "1.a"]],
  ["workloadRequests", { params: { id: own.workloadId } }, ["request", "request~-1", "request~1e3", "request~9999999999", "nosuch~0", "constructor~0"]],
])("%s: a cursor that none of its answers has is refused, not guessed at", async (name, call, cursors) => {
  for (const cursor of cursors) expect((await ben.refused("parameter_invalid", name, { ...call, query: { ...call.query, cursor } })).detail).toMatch(/`cursor` is (not the `next`|of requests sorted by)/);
});

test("a page behind the last is empty and ends the pages", async () => {
  expect(await ben.get("workloadRequests", { params: { id: own.workloadId }, query: { cursor: "request~999999999" } })).toMatchObject({ requests: 3, columns: { request: [] }, next: null });
  expect(await ben.get("executions", { query: { cursor: `0.${"0".repeat(64)}` } })).toMatchObject({ executions: [], next: null });
});

test("20,000 requests that failed each with its own words are one page", async () => {
  const [id, n] = [randomId(64), limits.workloadRequestsPerPageMax];
  const rows = Array.from({ length: n }, (_, i) => i);
  await rig.send(ben, ["workloads", workloadUpload(n, { workloadId: id, failed: rows.map(() => true), errors: ["", ...rows.map((i) => `refused: connection ${i}`)], error: rows.map((i) => i + 1) })]);
  const { columns, errors } = await ben.get("workloadRequests", { params: { id }, query: { limit: String(n), sort: "-request" } });
  expect([columns.request.length, errors.length]).toEqual([n, n + 1]);
  expect(columns.error.every((row, i) => errors[row] === `refused: connection ${columns.request[i]}`)).toBe(true);
});
