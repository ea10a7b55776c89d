// A comparison the other way round compares the same two selections, also where only one has a filter.
import { expect, test } from "vitest";
import { swapped } from "#dashboard/pages/flamegraph/swapped.ts";

const range = { from: "2026-11-29T00:00:00Z", to: "2026-11-29T01:00:00Z" };
const side = { range, execution: null } as Parameters<typeof swapped>[2]["a"];
// As the server reads it: what is absent or empty for A is what B has.
const filters = ({ filter, compareFilter }: { filter?: string | undefined; compareFilter?: string | undefined }) => ({ a: (compareFilter || filter || "").trim(), b: (filter ?? "").trim() });

test.each([
  [{ compare: "live", compareFilter: 'host.name == "a"' }],
  [{ compare: "live", filter: 'host.name == "b"', compareFilter: 'host.name == "a"' }],
  [{ compare: "live", filter: 'host.name == "b"', compareFilter: " " }],
  [{ compare: "live", filter: 'host.name == "b"' }],
] as const)("%o", (search) => {
  const before = filters(search);
  const once = swapped(search, range, { a: side, b: side });
  expect(filters(once)).toEqual({ a: before.b, b: before.a });
  expect(filters(swapped(once, range, { a: side, b: side }))).toEqual(before);
});
