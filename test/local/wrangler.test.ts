// wrangler.toml (what is deployed) and local/worker.ts (what runs here) describe one Worker.
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { limits } from "#schema/limits.ts";
import { compatibility, root, workerFirst } from "#local/worker.ts";
import { version } from "#cli/version.ts";

const config = unstable_readConfig({ config: join(root, "wrangler.toml") });

test("the same entry, dates, flags and paths", () => {
  expect(config.main?.endsWith("workers/main.ts")).toBe(true);
  expect({ date: config.compatibility_date, flags: config.compatibility_flags }).toEqual(compatibility);
  expect(config.assets).toMatchObject({ binding: "ASSETS", not_found_handling: "single-page-application", run_worker_first: workerFirst });
});

test("the same queue with its dead letters, and bodies, control database and clock", () => {
  expect(config.queues.producers).toMatchObject([{ queue: "lamella-uploads", binding: "UPLOADS" }]);
  expect(config.queues.consumers).toMatchObject([
    { queue: "lamella-uploads", max_retries: limits.queueRetriesMax, dead_letter_queue: "lamella-uploads-dead" },
    { queue: "lamella-uploads-dead", max_retries: limits.queueRetriesMax },
  ]);
  expect(config.r2_buckets).toMatchObject([{ binding: "BODIES" }]);
  expect(config.d1_databases).toMatchObject([{ binding: "CONTROL", migrations_dir: "workers/control/migrations" }]);
  expect(config.triggers.crons).toEqual(["* * * * *"]);
});

test("the rates are the bounds of schema/limits.ts, and the version is the package's", () => {
  const rates = Object.fromEntries(config.ratelimits.map((one: { name: string; simple: object }) => [one.name, one.simple]));
  expect(rates).toEqual({
    INGEST_LIMIT_TOKEN: { limit: limits.uploadsPerTokenPer10sMax, period: 10 },
    INGEST_LIMIT_TENANT: { limit: limits.uploadsPerTenantPer10sMax, period: 10 },
    QUERY_LIMIT: { limit: limits.queriesPerUserPerMinuteMax, period: 60 },
    SIGN_IN_LIMIT: { limit: limits.failedSignInsPerMinuteMax, period: 60 },
  });
  expect(config.vars.VERSION).toBe(version);
});
