// Which answer stands in for another: one of the same selection, of the same tenant, that is not too old.
import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { flamegraphQuery } from "#dashboard/pages/flamegraph/flamegraph-query.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { answerOf } from "./answer.ts";

const answer = answerOf(`
  layer:net 50
    python:forward 50
`);
const range = { from: "-1h", to: "now" };
const whole = flamegraphQuery("acme", range, {});
const hidden = flamegraphQuery("acme", range, { layers: "hide" });
const fromServer = { ...answer, samples: 99 };

async function asked(ageMs: number): Promise<Flamegraph> {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(fromServer)));
  const client = new QueryClient();
  client.setQueryData(whole.queryKey, answer, { updatedAt: Date.now() - ageMs });
  return await client.fetchQuery({ ...hidden, retry: false });
}
afterEach(() => vi.unstubAllGlobals());

test("a kind goes from a fresh answer at hand; from one of minutes ago, which nobody looks at any more, it does not", async () => {
  expect((await asked(1_000)).samples).toBe(answer.samples);
  expect((await asked(120_000)).samples).toBe(99);
});

test("nothing of another tenant is shown while the answer is on its way", () => {
  const shown = hidden.placeholderData as unknown as (previous: Flamegraph, before: { readonly queryKey: readonly unknown[] }) => Flamegraph | undefined;
  expect(shown(answer, whole)).toBeDefined();
  expect(shown(answer, flamegraphQuery("other", range, {}))).toBeUndefined();
});
