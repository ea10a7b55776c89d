import { expect, test } from "vitest";
import { viewLink } from "#dashboard/app/view-link.ts";

const nowS = Date.parse("2026-11-29T14:00:00Z") / 1_000;
const at = (search: string) => `http://127.0.0.1:8787/t/demo/flamegraph${search}`;

test.each([
  ["", "?from=2026-11-28T14:00:00Z&to=2026-11-29T14:00:00Z"], // the default is the last 24 hours
  ["?from=-1h", "?from=2026-11-29T13:00:00Z&to=2026-11-29T14:00:00Z"],
  ["?from=-2h&to=-30m&search=mlp", "?from=2026-11-29T12:00:00Z&to=2026-11-29T13:30:00Z&search=mlp"],
  ["?from=2026-11-01T00:00:00Z", "?from=2026-11-01T00:00:00Z&to=2026-11-29T14:00:00Z"],
])("a range that moves with the clock becomes the moments it means now: %s", (search, linked) => {
  expect(viewLink(at(search), true, nowS)).toEqual({ url: at(linked), pinned: true });
});

test("a range of moments, and a page that is about no range, are linked as they are", () => {
  const fixed = "?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z&filter=host.name+%3D%3D+%22a%22";
  expect(viewLink(at(fixed), true, nowS)).toEqual({ url: at(fixed), pinned: false });
  expect(viewLink("http://127.0.0.1:8787/t/demo/status", false, nowS)).toEqual({ url: "http://127.0.0.1:8787/t/demo/status", pinned: false });
});

test("what only a copied link says is added", () => {
  expect(viewLink(at("?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z"), true, nowS, { camera: "1,2,3", gone: undefined }).url).toBe(at("?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z&camera=1,2,3"));
});

test("a page with a usual range of its own is linked with that one", () => {
  expect(viewLink("http://127.0.0.1:8787/t/demo/workloads", { from: "-30d", to: "now" }, nowS).url).toBe("http://127.0.0.1:8787/t/demo/workloads?from=2026-10-30T14:00:00Z&to=2026-11-29T14:00:00Z");
});

test.each([
  ["compareFrom=-2h", "2026-11-29T12:00:00Z", "2026-11-29T14:00:00Z"],
  ["compareFrom=-2h&compareTo=-1h", "2026-11-29T12:00:00Z", "2026-11-29T13:00:00Z"],
  ["compareFrom=2026-11-28T00:00:00Z", "2026-11-28T00:00:00Z", "2026-11-29T14:00:00Z"], // without an end: up to now
])("the range a comparison is with is fixed too: %s", (compared, from, to) => {
  const link = viewLink(at(`?from=2026-11-29T13:00:00Z&to=2026-11-29T14:00:00Z&${compared}`), true, nowS);
  const search = new URL(link.url).searchParams;
  expect([search.get("compareFrom"), search.get("compareTo"), link.pinned]).toEqual([from, to, true]);
});
