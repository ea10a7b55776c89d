import { afterAll, expect, test } from "vitest";
import { openEngine } from "#test/rig/engine.ts";

const engine = openEngine();
afterAll(() => engine.close());

test("rows come back as they went in, 64-bit integers exact", async () => {
  const row = { tenant_id: "a", stack_id: 18446744073709551615n, frames: [1n, 9007199254740993n], last_seen: "2026-01-02" };
  expect(await engine.insertRows("stacks", [row])).toBe(1);
  expect(await engine.query("SELECT tenant_id, stack_id, frames FROM stacks WHERE tenant_id = {tenant:String} AND stack_id IN {ids:Array(UInt64)}",
    { tenant: "a", ids: [18446744073709551615n] })).toEqual([{ tenant_id: "a", stack_id: "18446744073709551615", frames: ["1", "9007199254740993"] }]);
});
