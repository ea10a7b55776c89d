import { expect, test } from "vitest";
import { flamegraphCompareQuery } from "#schema/api/flamegraph-comparison.ts";

test("what is not said of A has no default of its own: A is then the time before B", () => {
  const { a_from, a_to, a_filter, a_execution } = flamegraphCompareQuery.parse({ from: "-2h" });
  expect([a_from, a_to, a_filter, a_execution]).toEqual([undefined, undefined, undefined, undefined]);
});
