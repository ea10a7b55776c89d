import { lastSampleByHost, statusCounts } from "#clickhouse/status.ts";
import { quarantinedCount } from "../control/pending.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { extentOf, iso } from "./selection.ts";

const hostsShown = 100;

export const status: Handler<"status"> = async (context) => {
  const now = Math.floor(context.nowMs / 1000);
  const [extent, [counts], hosts, quarantined] = await Promise.all([
    extentOf(context, { fromS: now - 60, toS: now }),
    rowsOf(context, statusCounts(), "counts"),
    rowsOf(context, lastSampleByHost(hostsShown), "hosts"),
    quarantinedCount(context.env.CONTROL, context.caller.tenant.id),
  ]);
  return {
    version: context.env.VERSION,
    embedded: context.env.EMBEDDED === "1",
    ingestedThrough: extent.ingestedThrough,
    uploads: {
      stored: counts?.uploads ?? 0,
      quarantined,
      lastStoredAt: counts && counts.last_stored_ms > 0 ? iso(counts.last_stored_ms) : null,
    },
    samples: counts?.samples ?? 0,
    executions: counts?.executions ?? 0,
    models: counts?.models ?? 0,
    lastSampleByHost: hosts.map((host) => ({ host: host.host, at: iso(host.at_s * 1000) })),
  };
};
