// The closed lists of the contract agree with one another, with the wire and with the store.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tables } from "#clickhouse/tables.ts";
import { where } from "#clickhouse/where.ts";
import { pathSources } from "#schema/api/executions.ts";
import { type Route, routes } from "#schema/api/routes.ts";
import { errorHelp } from "#schema/error-help.ts";
import { errorsMarkdown } from "#schema/errors-markdown.ts";
import { errors, quarantineCodes } from "#schema/errors.ts";
import { fieldNames, fields, fieldsOfPage, isFieldName, pages } from "#schema/fields.ts";
import { flags } from "#schema/flags.ts";
import { frameKindNames, frameKindOfNumber, frameKinds, profileTypes } from "#schema/frame-kinds.ts";
import { PathSource } from "#schema/gen/lamella/v1/execution_pb.ts";
import { FrameKind, ProfileType, Source } from "#schema/gen/lamella/v1/samples_pb.ts";
import { UploadSchema } from "#schema/gen/lamella/v1/upload_pb.ts";
import { roles, scopeNames, scopes } from "#schema/identity.ts";
import { limits, retentionDaysChoices, retentionDaysDefault } from "#schema/limits.ts";
import { uploadKinds } from "#schema/upload-message.ts";

// The members of a generated enum by name, without the zero "unspecified".
const members = (one: Record<string, string | number>): Record<string, number> =>
  Object.fromEntries(Object.entries(one).filter(([name, number]) => typeof number === "number" && name !== "UNSPECIFIED").map(([name, number]) => [name.toLowerCase(), number as number]));
const sqlEnum = (type: string) => Object.fromEntries([...type.matchAll(/'(\w+)' = (\d+)/g)].map(([, name, number]) => [name!, Number(number)]));
const numbers = (all: Record<string, { number: number }>) => Object.fromEntries(Object.entries(all).map(([name, { number }]) => [name, number]));

describe("errors", () => {
  test("every code has a status of an error, a title and what to do", () => {
    for (const [code, { status, title }] of Object.entries(errors)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect([code, status >= 400 && status <= 599]).toEqual([code, true]);
      expect([code, title]).toEqual([code, expect.stringMatching(/^[A-Z].*[^.]$/)]);
    }
    expect(Object.keys(errorHelp).sort()).toEqual(Object.keys(errors).sort());
    for (const { meaning, fix } of Object.values(errorHelp)) for (const text of [meaning, fix]) expect(text).toMatch(/^[A-Z`].*\.$/);
  });

  test("titles tell the codes apart", () => {
    expect(new Set(Object.values(errors).map(({ title }) => title)).size).toBe(Object.keys(errors).length);
  });

  test("docs/errors.md is up to date: run npm run generate after a change", () => {
    expect(readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8")).toBe(errorsMarkdown());
    for (const code of Object.keys(quarantineCodes)) expect(errorsMarkdown()).toContain(`| \`${code}\` |`);
  });
});

describe("fields", () => {
  test("every field is on a page that exists, and every page has fields", () => {
    for (const name of fieldNames) {
      expect(name).toMatch(/^[a-z0-9]+(\.[a-z0-9]+)+$/);
      expect(isFieldName(name)).toBe(true);
      expect(fields[name].pages.length).toBeGreaterThan(0);
      for (const page of fields[name].pages) expect(pages).toContain(page);
      expect(new TextEncoder().encode(fields[name].example).length).toBeLessThanOrEqual(limits.labelBytesMax);
    }
    for (const page of pages) expect(fieldsOfPage(page).length).toBeGreaterThan(0);
    expect(isFieldName("toString")).toBe(false);
  });

  test("every field of a page can be asked of its table", () => {
    const condition = (field: (typeof fieldNames)[number]) => ({ kind: "condition" as const, field, operator: "==" as const, values: ["x"] });
    for (const field of fieldsOfPage("flamegraph")) expect(where(condition(field), "samples").sql).toContain("{p0:String}");
    for (const field of fieldsOfPage("models")) expect(where(condition(field), "sightings").sql).toContain("{p0:String}");
  });
});

describe("numbers on the wire, words in the store", () => {
  test("frame kinds fit the low four bits, and all lists of them agree", () => {
    expect(numbers(frameKinds)).toEqual(members(FrameKind as never));
    expect(numbers(frameKinds)).toEqual(sqlEnum(tables.frames.kind));
    for (const name of frameKindNames) {
      expect(frameKinds[name].number).toBeLessThan(16);
      expect(frameKindOfNumber(frameKinds[name].number)).toBe(name);
    }
    expect(frameKindOfNumber(0)).toBeUndefined();
  });

  test("profile types, sources and path sources", () => {
    expect(numbers(profileTypes)).toEqual(members(ProfileType as never));
    expect(members(Source as never)).toEqual(sqlEnum(tables.samples.source));
    expect(sqlEnum(tables.sightings.source)).toEqual(sqlEnum(tables.samples.source));
    expect(sqlEnum(tables.executions.path_source)).toEqual({ none: 0, ...members(PathSource as never) });
    expect(Object.keys(sqlEnum(tables.executions.path_source))).toEqual([...pathSources]);
  });

  test("upload kinds are those of upload.proto", () => {
    expect(UploadSchema.fields.map(({ name }) => name)).toEqual([...uploadKinds]);
  });
});

describe("routes", () => {
  const all = Object.entries<Route>(routes);

  test("scopes and flags are known; only the question who I am needs no scope", () => {
    for (const [name, { scope, flag }] of all) {
      expect([name, scope === null || scopeNames.includes(scope)]).toEqual([name, true]);
      expect([name, flag === undefined || flag in flags]).toEqual([name, true]);
    }
    expect(all.filter(([, { scope }]) => scope === null).map(([name]) => name)).toEqual(["me"]);
  });

  test("every path is its own, below the tenant, and its parameters are described", () => {
    expect(new Set(all.map(([, { method, path }]) => `${method} ${path}`)).size).toBe(all.length);
    for (const [name, { path, params, method, body, status = 200 }] of all) {
      expect([name, path]).toEqual([name, expect.stringMatching(/^\/(api|ingest)(\/[a-z-]+|\/\{\w+\})+$/)]);
      expect([name, [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)]).toEqual([name, Object.keys(params?.shape ?? {})]);
      expect([name, status >= 200 && status < 300]).toEqual([name, true]);
      if (method === "GET" || method === "DELETE") expect([name, body]).toEqual([name, undefined]);
    }
  });

  test("what changes something asks for more than read", () => {
    for (const [name, { method, scope }] of all) if (method !== "GET") expect([name, scope]).not.toEqual([name, "read"]);
  });

  test("roles give scopes that exist, each role all of the one below", () => {
    expect(new Set(Object.values(roles).flat().filter((scope) => !(scope in scopes))).size).toBe(0);
    expect(roles.owner).toEqual(expect.arrayContaining([...roles.editor]));
    expect(roles.editor).toEqual(expect.arrayContaining([...roles.viewer]));
    expect(roles.viewer).not.toContain("write");
  });
});

describe("limits", () => {
  test("every bound is a positive whole number", () => {
    for (const [name, bound] of Object.entries(limits)) expect([name, Number.isInteger(bound) && bound > 0]).toEqual([name, true]);
  });

  test("bounds that belong together", () => {
    expect(limits.inflatedBytesMax).toBeGreaterThanOrEqual(limits.bodyBytesMax);
    expect(limits.flamegraphNodesDefault).toBeLessThanOrEqual(limits.flamegraphNodesMax);
    expect(limits.modelsPerPageDefault).toBeLessThanOrEqual(limits.modelsPerPageMax);
    expect(limits.tokenDaysDefault).toBeLessThanOrEqual(limits.tokenDaysMax);
    expect(limits.labelBytesMax).toBeLessThan(limits.nameBytesMax);
    expect(limits.executionDigestBytesMax).toBeLessThan(limits.bodyBytesMax);
    expect(retentionDaysChoices).toContain(retentionDaysDefault);
    // Revocation and flags are seen within 10 s and 5 s.
    expect(limits.tokenCacheSecondsMax).toBeLessThanOrEqual(5);
    expect(limits.flagCacheSecondsMax).toBeLessThanOrEqual(5);
    // A page of models, with one more row to see whether there is a next, and a flamegraph's nodes fit what a query may answer.
    expect(Math.max(limits.modelsPerPageMax, limits.flamegraphNodesMax) + 1).toBeLessThanOrEqual(limits.queryResultRowsMax);
    // The longest range that may be asked for is kept for somebody.
    expect(Math.max(...retentionDaysChoices)).toBeGreaterThanOrEqual(limits.timeRangeDaysMax);
  });
});
