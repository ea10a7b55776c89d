import { expect, test } from "vitest";
import { flamegraphSearch, modelsSearch, parseSearch, rangeSearch, stringifySearch } from "#dashboard/app/url-state.ts";

test("a URL reads like the API's query and comes back as it was", () => {
  const search = { filter: 'host.name == "node-7" && user.tag != "a,b"', hide: "native,python", search: "Qwen3Attention self_attn", layers: "hide" };
  const url = stringifySearch(search);
  expect(url).toContain("hide=native,python");
  expect(parseSearch(url)).toEqual(search);
});

test("numbers in a URL stay text", () =>
  expect(rangeSearch.parse(parseSearch("?from=1764426720&to=now"))).toEqual({ from: "1764426720", to: "now" }));

test("values that do not fit are dropped, the rest stays", () => {
  expect(flamegraphSearch.parse({ execution: "../..", layers: "maybe", search: "ok", hide: "A;B", focus: "2tfulc1snfh6z" })).toMatchObject({
    search: "ok",
    focus: "2tfulc1snfh6z",
  });
  expect(flamegraphSearch.parse({ execution: "../.." }).execution).toBeUndefined();
  expect(flamegraphSearch.parse({ view: "table", by: "module", sort: "self", layers: "fold", invert: "1", frame: "2f6", side: "callers" })).toEqual({ view: "table", by: "module", sort: "self", layers: "fold", invert: "1", frame: "2f6", side: "callers" });
  expect(flamegraphSearch.parse({ view: "pie", by: "colour", sort: "name", layers: "folded", invert: "yes", frame: "x", side: "left" })).toEqual({});
  expect(modelsSearch.parse({ sort: "-lastSeen" }).sort).toBe("-lastSeen");
});

test("absent values leave no trace", () => expect(stringifySearch({ a: undefined, b: "" })).toBe(""));
