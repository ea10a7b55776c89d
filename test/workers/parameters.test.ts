// Refusals in words: of every parameter of every route, whatever is wrong with it.
import { describe, expect, test } from "vitest";
import { type Route, type RouteName, routeNames, routes } from "#schema/api/routes.ts";
import { ApiError } from "#workers/problem.ts";
import { parameters, type ParameterPlace } from "#workers/parameters.ts";

function refusal(name: RouteName, value: unknown, place: ParameterPlace = "query"): string {
  try {
    parameters((routes[name] as Route)[place] as never, value, place);
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${error.details.detail}`;
    throw error;
  }
  return "taken";
}

const id = "ab".repeat(32);

test.each<[RouteName, ParameterPlace, unknown, string]>([
  ["flamegraph", "query", { max_nodes: "abc" }, '`max_nodes` in the query is "abc"; write a whole number from 1 to 65536, e.g. 8192.'],
  ["flamegraph", "query", { max_nodes: "" }, '`max_nodes` in the query is ""; write a whole number from 1 to 65536, e.g. 8192.'],
  ["flamegraph", "query", { max_nodes: "0" }, '`max_nodes` in the query is "0"; write a whole number from 1 to 65536, e.g. 8192.'],
  ["flamegraph", "query", { max_nodes: "65537" }, '`max_nodes` in the query is "65537"; write a whole number from 1 to 65536, e.g. 8192.'],
  ["flamegraph", "query", { layers: "all" }, '`layers` in the query is "all"; write one of show, hide, fold.'],
  ["executionCompare", "query", { with: id, limit: "1.5" }, '`limit` in the query is "1.5"; write a whole number from 1 to 10000, e.g. 1000.'],
  ["executionCompare", "query", {}, "`with` is missing in the query; write an execution id: 64 hex digits."],
  ["executionCompare", "query", { with: `${id}0` }, `\`with\` in the query is "${id.slice(0, 60)}…" (65 characters); write an execution id: 64 hex digits.`],
  ["metricSeries", "query", { step: "fast" }, '`metric` is missing in the query; write a text of 1 to 16384 characters, e.g. ttft_seconds. `step` in the query is "fast"; write a whole number from 1 to 7776000, e.g. 60.'],
  ["workload", "query", { ttft_ms: "-1" }, '`ttft_ms` in the query is "-1"; write a number above 0, at most 10000000000, e.g. 200.'],
  ["workload", "query", { ttft_ms: "1e999" }, '`ttft_ms` in the query is "1e999"; write a number above 0, at most 10000000000, e.g. 200.'],
  ["workloadRequests", "query", { limit: "20001" }, '`limit` in the query is "20001"; write a whole number from 1 to 20000, e.g. 1000.'],
  ["fieldValues", "query", { field: "host.name", prefix: "\u001b[2J".repeat(70) }, `\`prefix\` in the query is "${"\\u001b[2J".repeat(15)}…" (280 characters); write a text of 0 to 256 characters.`],
  ["tokenCreate", "body", { name: "", scopes: [] }, "`name` in the body is \"\"; write a text of 1 to 100 characters. `scopes` in the body is an empty list; write a list with at least one, each one of ingest, read, write, admin, mcp."],
  ["tokenCreate", "body", { name: "x", scopes: ["root"], days: 0 }, '`scopes[0]` in the body is "root"; write one of ingest, read, write, admin, mcp. `days` in the body is 0; write a whole number from 1 to 365, e.g. 90.'],
  ["tokenCreate", "body", { name: "x", scopes: ["read"], owner: 1 }, "`owner` is no field of the body. It has name, kind, scopes, days, jobTag."],
  ["tokenCreate", "body", ["x"], "The body is a list; write an object. It has name, kind, scopes, days, jobTag."],
  ["flagSet", "body", { on: "yes" }, '`on` in the body is "yes"; write true or false.'],
])("%s, %s %j", (name, place, value, words) => {
  expect(refusal(name, value, place)).toBe(`parameter_invalid: ${words}`);
});

test("ten thousand wrong elements are not ten thousand sentences", () => {
  expect(refusal("tokenCreate", { name: "x", scopes: Array(10_000).fill(0) }, "body")).toMatch(/^parameter_invalid: (`scopes\[\d\]` in the body is 0; write one of [a-z, ]+\. ){4}9996 more are wrong\.$/);
});

// Over the whole table, so that a new parameter is held to it too.
describe("no parameter of any route is refused in the words of the library, and each refusal says which and what instead", () => {
  const odd = { query: [undefined, "", " ", "abc", "NaN", "-1", "1.5", "1e999", "x".repeat(20_000), "\u0000"], body: [undefined, null, "", "abc", -1, 1.5, [], [0], {}, true] } as const;
  const cases = routeNames.flatMap((name) => (["query", "body"] as const).flatMap((place) => {
    const schema = (routes[name] as Route)[place];
    return schema === undefined || schema === "upload" ? [] : Object.keys((schema as unknown as { shape: object }).shape).map((parameter) => [name, place, parameter] as const);
  }));

  test.each(cases)("%s, %s %s", (name, place, parameter) => {
    for (const value of odd[place]) {
      const said = refusal(name, value === undefined ? {} : { [parameter]: value }, place);
      expect(said).not.toMatch(/expected|received|undefined|invalid (input|string|option)|too (big|small)|pattern|\[object/i);
      // Parameters beside it may be missing too; what is said of this one has both halves.
      const own = said.split(/(?<=\.) (?=`)/).find((one) => one.includes(`\`${parameter}`));
      if (own !== undefined) expect(own).toMatch(/ (is missing in|in) the (query|body)\b.*; write .{3,}\.$/s);
    }
  });
});
