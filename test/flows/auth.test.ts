// Who may do what, generated from the route table: every route with every kind of bad token, every scope, every other method; revocation and flags.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "#schema/identity.ts";
import { scopeNames } from "#schema/identity.ts";
import { type Route, type RouteName, routeNames, routes } from "#schema/api/routes.ts";
import { limits } from "#schema/limits.ts";
import { asProblem, type Client } from "#test/rig/client.ts";
import { StackRig } from "#test/rig/stack.ts";
import { everyRoute, unknownThings } from "#test/rig/tour.ts";
import { until } from "#test/rig/until.ts";
import { shapeUpload } from "#test/rig/uploads.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";

let rig: StackRig;
let owner: Client;
const ofScope = new Map<string, Client>();
const tokenWith = (...scopes: Scope[]) => ofScope.get(scopes.join())!;
const allBut = (scope: Scope) => scopeNames.filter((one) => one !== scope);
beforeAll(async () => {
  rig = await StackRig.open();
  owner = await rig.tenant("acme");
  await owner.get("flagSet", { params: { flag: "models" }, body: { on: true } });
  for (const scope of scopeNames) for (const scopes of [[scope], allBut(scope)]) ofScope.set(scopes.join(), await rig.tenant("acme", scopes));
});
afterAll(() => rig.remove());

const calls = everyRoute(unknownThings());
// Failed sign-ins are limited per address; the edge names the caller's address in this header.
let address = 0;
const fromElsewhere = () => ({ "cf-connecting-ip": `192.0.2.${++address % 250}` });

describe("every route", () => {
  test.each(routeNames)("%s: no token, bad tokens, missing scope", async (name) => {
    const route: Route = routes[name];
    const call = calls[name];
    const missing = await owner.as("").send(name, call);
    asProblem("token_missing", missing);
    expect(missing.headers.get("www-authenticate")).toBe('Bearer realm="lamella"');

    for (const [what, bad] of Object.entries(await badTokens())) {
      const answer = await owner.as(bad).send(name, call, fromElsewhere());
      expect(asProblem("token_invalid", answer).detail, what).not.toContain(bad);
      expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    }
    if (route.scope === null) return;
    const problem = asProblem("scope_missing", await tokenWith(...allBut(route.scope)).send(name, call));
    expect(problem.detail).toContain(`"${route.scope}"`);
    expect([401, 403, 405, 500, 503]).not.toContain((await tokenWith(route.scope).send(name, call)).status);
  });

  test("with a scope is in the table, and its scope exists", () => {
    expect(routeNames.filter((name) => routes[name].scope !== null && !scopeNames.includes(routes[name].scope as Scope))).toEqual([]);
  });
});

let bad: Record<string, string> | undefined;

async function badTokens(): Promise<Record<string, string>> {
  if (bad !== undefined) return bad;
  const good = owner.token;
  const other = (character: string | undefined) => (character === "A" ? "B" : "A");
  const expired = await rig.tenant("acme", scopeNames, Date.now() - 2 * 86_400_000);
  const revoked = await rig.tenant("acme");
  const { tokens } = await owner.get("tokens");
  await owner.get("tokenRevoke", { params: { id: tokens.find(({ revokedAt, createdAt }) => revokedAt === null && createdAt === tokens.map((one) => one.createdAt).sort().at(-1))!.id } });
  bad = {
    garbage: "lml_api_nonsense", cut: good.slice(0, -1), "wrong checksum": good.slice(0, -1) + other(good.at(-1)), "another secret": good.slice(0, 25) + other(good[25]) + good.slice(26),
    jwt: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.", expired: expired.token, revoked: revoked.token,
  };
  return bad;
}

test("the scheme must be Bearer; anything else is no token", async () => {
  for (const authorization of [`Basic ${btoa(`x:${owner.token}`)}`, owner.token, "Bearer", `Bearer ${owner.token} ${owner.token}`]) {
    asProblem("token_invalid", await owner.as("").send("me", {}, { authorization, ...fromElsewhere() }));
  }
  expect((await owner.as("").send("me", {}, { authorization: `bearer ${owner.token}` })).status).toBe(200);
});

test("failed sign-ins from one address are limited; a good token from there is not", async () => {
  const here = { "cf-connecting-ip": "198.51.100.7" };
  const statuses: number[] = [];
  for (let i = 0; i <= limits.failedSignInsPerMinuteMax * 2 && statuses.at(-1) !== 429; i++) statuses.push((await owner.as("lml_api_nonsense").send("me", {}, here)).status);
  expect(statuses.at(-1)).toBe(429);
  expect(statuses.length).toBeGreaterThan(limits.failedSignInsPerMinuteMax);
  expect((await owner.send("me", {}, here)).status).toBe(200);
});

describe("a path of the table takes only its methods", () => {
  const methodsOf = new Map<string, string[]>();
  for (const name of routeNames) methodsOf.set(routes[name].path, [...(methodsOf.get(routes[name].path) ?? []), routes[name].method]);
  test.each([...methodsOf])("%s: %s", async (path, taken) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((one) => !taken.includes(one))) {
      const answer = await owner.raw(method, `/t/acme${path.replace(/\{\w+\}/g, "samples")}`);
      for (const one of taken) expect(asProblem("method_not_allowed", answer).detail).toContain(one);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
    }
  });
});

test("an API path that does not exist answers 404 as JSON, never a page", async () => {
  for (const path of ["/t/acme/api/", "/t/acme/api/nothing", "/t/acme/api/models/x/y", "/t/acme/api/flamegraph/", "/t/acme/ingest/", "/t/acme/ingest/nothing/more", "/t/nobody/api/nothing"]) {
    for (const method of ["GET", "POST"]) {
      const answer = await owner.raw(method, path);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 404, "application/problem+json"]);
    }
  }
  asProblem("not_found", await owner.post("nothing", new Uint8Array([1])));
});

test("every answer carries the security headers", async () => {
  for (const path of ["/t/acme/api/me", "/t/acme/api/nothing", "/healthz", "/openapi.json", "/docs"]) {
    const { headers } = await owner.raw("GET", path);
    expect(Object.fromEntries(["x-content-type-options", "x-frame-options", "referrer-policy"].map((name) => [name, headers.get(name)])), path).toEqual({ "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "same-origin" });
    expect(headers.get("content-security-policy"), path).toContain("object-src 'none'");
    expect(headers.get("access-control-allow-origin"), path).toBeNull();
  }
});

describe("tokens", () => {
  test("created, used, revoked: refused once the caches have turned, and twice revoked is once", async () => {
    const { token, secret } = await owner.get("tokenCreate", { body: { name: "short-lived", scopes: ["read"], days: 1 } });
    const user = owner.as(secret);
    expect((await user.get("me")).scopes).toEqual(["read"]);
    expect(JSON.stringify(await owner.get("tokens"))).not.toContain(secret.slice(-30));
    const { revokedAt } = await owner.get("tokenRevoke", { params: { id: token.id } });
    expect(revokedAt).not.toBeNull();
    await until("the token's end", async () => (await user.send("me", {}, fromElsewhere())).status, (status) => status === 401);
    expect((await owner.get("tokenRevoke", { params: { id: token.id } })).revokedAt).toBe(revokedAt);
  });

  test("cannot create one that may more than they may themselves, nor with unknown keys", async () => {
    const admin = tokenWith("admin");
    expect((await admin.refused("scope_missing", "tokenCreate", { body: { name: "more", scopes: ["admin", "ingest"] } })).detail).toContain("ingest");
    expect((await admin.get("tokenCreate", { body: { name: "same", scopes: ["admin"] } })).token.scopes).toEqual(["admin"]);
    for (const body of [{ name: "x", scopes: [] }, { name: "x", scopes: ["root"] }, { name: "", scopes: ["read"] }, { name: "x", scopes: ["read"], days: 366 }, { name: "x", scopes: ["read"], tenantId: "other" }, [], "text", null]) {
      await owner.refused("parameter_invalid", "tokenCreate", { body });
    }
    asProblem("body_undecodable", await owner.raw("POST", "/t/acme/api/tokens", { body: "{" }));
  });
});

test("a browser session: signed in by a link that works once, changes only from its own page, ended by signing out", async () => {
  const link = await rig.stack.signInUrl();
  const signedIn = await fetch(link, { redirect: "manual" });
  expect([signedIn.status, signedIn.headers.get("location"), signedIn.headers.get("set-cookie")]).toEqual([303, "/t/demo/flamegraph", expect.stringMatching(/^lamella_session=[a-z2-7]{52}; Path=\/; HttpOnly; SameSite=Lax/)]);
  const person = rig.demo.as("");
  asProblem("session_invalid", await person.raw("GET", new URL(link).pathname + new URL(link).search));
  asProblem("session_invalid", await person.raw("GET", "/sign-in/local?code=nothing"));
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  expect(JSON.parse((await person.send("me", {}, { cookie })).text)).toMatchObject({ who: { kind: "session", name: "You", role: "owner" }, scopes: ["read", "write", "admin"] });
  const turn = (headers: Record<string, string>) => person.send("flagSet", { params: { flag: "models" }, body: { on: true } }, { cookie, ...headers });
  asProblem("origin_forbidden", await turn({}));
  asProblem("origin_forbidden", await turn({ "x-lamella-csrf": "1", origin: "https://elsewhere.example" }));
  expect((await turn({ "x-lamella-csrf": "1", origin: rig.stack.url })).status).toBe(200);
  asProblem("role_missing", await person.send("ingest", calls.ingest, { cookie, "x-lamella-csrf": "1" }));
  expect((await person.raw("POST", "/sign-out", { headers: { cookie } })).status).toBe(204);
  asProblem("session_invalid", await person.send("me", {}, { cookie }));
});

describe("the flag of the Models page", () => {
  const gated = routeNames.filter((name) => (routes[name] as Route).flag === "models");
  const set = (client: Client, on: boolean) => client.get("flagSet", { params: { flag: "models" }, body: { on } });
  const gates = async (client: Client) => Promise.all(gated.map(async (name) => JSON.parse((await client.send(name, calls[name])).text) as { code?: string }));

  test("gates its routes and no others, at once for the tenant that turns it, and never for another", async () => {
    expect(gated).toEqual(["models", "model", "shapeCompare", "shape", "shapeModule", "shapeFind", "shapeMemory"]);
    const [ada, ben] = [await rig.tenant("flag-ada"), await rig.tenant("flag-ben")];
    const off = Array(gated.length).fill(expect.objectContaining({ code: "flag_off" }));
    const on = Array(gated.length).fill(expect.not.objectContaining({ code: "flag_off" }));
    expect([await gates(ada), await gates(ben)]).toEqual([off, off]); // off by default
    for (const state of [true, false, true]) {
      expect((await set(ada, state)).flags).toEqual([expect.objectContaining({ flag: "models", on: state, reason: "tenant" })]);
      expect(await gates(ada)).toEqual(state ? on : off);
      expect((await ada.get("me")).flags).toEqual({ models: state });
      expect(await gates(ben)).toEqual(off);
      expect((await ben.get("flags")).flags).toEqual([expect.objectContaining({ on: false, reason: "default", changedBy: null })]);
    }
    await set(ben, true);
    await set(ada, false);
    expect([await gates(ada), await gates(ben)]).toEqual([off, on]);
    const others = routeNames.filter((name): name is Exclude<RouteName, "ingest"> => !gated.includes(name));
    for (const name of others) expect((await ada.send(name, calls[name])).text, name).not.toContain('"code":"flag_off"');
  });

  test("does not gate what is stored", async () => {
    const tenant = await rig.tenant("flag-off");
    await tenant.upload("shapes", shapeUpload(drawShape("Net\n  fc Linear weight:float32[8,4]"), "ab".repeat(16)));
    await rig.settled();
    expect((await tenant.get("status")).uploads).toMatchObject({ stored: 1, quarantined: 0 });
  });

  test("does not exist under another name", async () => {
    await owner.refused("not_found", "flagSet", { params: { flag: "nothing" }, body: { on: true } });
    await owner.refused("parameter_invalid", "flagSet", { params: { flag: "models" }, body: { on: "yes" } });
    await owner.refused("parameter_invalid", "flagSet", { params: { flag: "models" }, body: { on: true, tenant: "other" } });
  });
});
