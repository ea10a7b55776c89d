import { fieldValues as fieldValuesQuery } from "#clickhouse/field-values.ts";
import { lastSampleByHost, statusCounts } from "#clickhouse/status.ts";
import { frameKindNames } from "#schema/frame-kinds.ts";
import { fields, isFieldName } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import { quarantinedCount } from "../control/pending.ts";
import { ApiError } from "../problem.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { extentOf, iso, rangeOf } from "./selection.ts";

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

export const fieldValues: Handler<"fieldValues"> = async (context) => {
  const { field, prefix } = context.query;
  if (!isFieldName(field)) throw new ApiError("parameter_invalid", { detail: `\`field\` is "${field.slice(0, 60)}", which is no filter field. Fields: ${Object.keys(fields).join(", ")}.` });
  if (field === "profile.frame.type") return { field, values: frameKindNames.filter((kind) => kind.startsWith(prefix)).map((value) => ({ value, samples: 0 })) };
  const range = rangeOf(context.query, context.nowMs);
  return { field, values: await rowsOf(context, fieldValuesQuery(field, prefix, range.fromS, range.toS, limits.fieldValuesMax), "field-values") };
};
