// The contract as a whole: every route answers what its schema says and nothing else (the client of the rig holds every answer to it), and the OpenAPI
// document lists exactly the routes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { errors } from "#schema/errors.ts";
import { type Route, type RouteName, routeNames, routes } from "#schema/api/routes.ts";
import type { Client } from "#test/rig/client.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { everyRoute, furnish, type Things } from "#test/rig/tour.ts";

let rig: StackRig;
let client: Client;
let things: Things;
beforeAll(async () => {
  rig = await StackRig.open();
  client = await rig.tenant("contract");
  things = await furnish(rig, client, "node-7");
});
afterAll(() => rig.remove());

test.each(routeNames)("%s answers its own status and its schema, strictly", async (name) => {
  const call = everyRoute(things)[name];
  if ((routes[name] as Route).files) expect((await client.send(name, call)).status).toBe(200);
  else await client.get(name, call);
  await rig.settled();
});

test("afterwards the store is whole", () => expectInvariants(rig));

test("the OpenAPI document lists exactly the routes, with their parameters, bodies and answers", async () => {
  const document = JSON.parse((await client.raw("GET", "/openapi.json")).text) as { openapi: string; paths: Record<string, Record<string, Operation>> };
  expect(document.openapi).toBe("3.1.0");
  const listed = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const));
  const table = routeNames.map((name) => [`${routes[name].method} /t/{tenant}${routes[name].path}`, name] as const);
  expect(listed.map(([key]) => key).sort()).toEqual(table.map(([key]) => key).sort());
  for (const [key, name] of table) expectOperation(name, listed.find(([one]) => one === key)![1]);
});

type Operation = { operationId: string; parameters: { name: string; in: string; required: boolean }[]; requestBody?: { content: Record<string, unknown> }; responses: Record<string, { content: Record<string, { schema: unknown }> }> };

function expectOperation(name: RouteName, operation: Operation): void {
  const route: Route = routes[name];
  const inPath = ["tenant", ...[...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])];
  expect(operation.operationId).toBe(name);
  expect(operation.parameters.filter((one) => one.in === "path").map((one) => one.name)).toEqual(inPath);
  expect(operation.parameters.filter((one) => one.in === "query").map((one) => one.name)).toEqual(Object.keys(route.query?.shape ?? {}));
  expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(route.body === undefined ? [] : [route.body === "upload" ? "application/x-protobuf" : "application/json"]);
  expect(Object.keys(operation.responses)).toEqual([String(route.status ?? 200), "default"]);
  const { content } = operation.responses[String(route.status ?? 200)]!;
  if (route.files) expect(Object.keys(content)).toEqual(route.files);
  else expect(content["application/json"]!.schema).toMatchObject({ type: "object" });
}

test("every error code is explained on its page, and every page answers without a token", async () => {
  const anyone = client.as("");
  const page = await anyone.raw("GET", "/docs/errors");
  for (const code of Object.keys(errors)) expect(page.text).toContain(`id="${code}"`);
  const docs = await anyone.raw("GET", "/docs");
  for (const name of routeNames) expect(docs.text).toContain(`id="${name}"`);
  for (const [path, type] of [["/healthz", "application/json"], ["/readyz", "application/json"], ["/openapi.json", "application/json"], ["/metrics", "text/plain; version=0.0.4"], ["/docs", "text/html; charset=UTF-8"]] as const) {
    const answer = await anyone.raw("GET", path);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 200, type]);
  }
});

test.each(["flamegraph", "executions", "models", "fieldValues"] as const)("%s refuses parameters it cannot read, each with its code", async (name) => {
  const query = name === "fieldValues" ? { field: "host.name" } : {};
  for (const [broken, code] of [[{ from: "yesterday" }, "time_range_invalid"], [{ from: "now", to: "-1h" }, "time_range_invalid"], [{ from: "-91d" }, "time_range_invalid"]] as const) {
    expect((await client.refused(code, name, { query: { ...query, ...broken } })).detail.length).toBeGreaterThan(20);
  }
  const twice = await client.raw("GET", `/t/contract${routes[name].path}?from=-1h&from=-2h`);
  expect(JSON.parse(twice.text)).toMatchObject({ status: 400, code: "parameter_invalid", detail: expect.stringContaining("from") });
});

test("the flamegraph and the models refuse filters with the place of the mistake", async () => {
  expect((await client.refused("filter_syntax", "flamegraph", { query: { filter: 'host.name == "a" &&' } })).problems).toEqual([expect.objectContaining({ from: expect.any(Number), to: expect.any(Number) })]);
  expect((await client.refused("filter_field_unsupported", "flamegraph", { query: { filter: 'host.nam == "a"' } })).problems).toMatchObject([{ from: 0, to: 8, didYouMean: "host.name" }]);
  await client.refused("filter_field_unsupported", "models", { query: { filter: 'kernel.name == "gemm"' } });
  await client.refused("filter_regex_invalid", "flamegraph", { query: { filter: 'host.name.matches("(")' } });
  for (const query of [{ max_nodes: "0" }, { max_nodes: "65537" }, { max_nodes: "many" }, { layers: "some" }, { type: "heat" }, { execution: "yesterday" }, { hide: "nothing" }]) await client.refused("parameter_invalid", "flamegraph", { query });
});
