// What a profile query is about: time range, filter, and which samples, live or of an execution. Shared by the flamegraph and everything computed beside it.
import { executionById, latestExecution, type ExecutionRow } from "#clickhouse/executions.ts";
import { liveProfileTypes } from "#clickhouse/profile-types.ts";
import type { SampleSelection } from "#clickhouse/samples.ts";
import { rollupFor, where } from "#clickhouse/where.ts";
import type { Filter } from "#core/filter/filter.ts";
import type { Seconds } from "#core/time-range.ts";
import type { Flamegraph, ProfileQuery } from "#schema/api/flamegraph.ts";
import type { DataExtent } from "#schema/api/time-range.ts";
import { type ProfileTypeName, profileTypeNames } from "#schema/frame-kinds.ts";
import { ApiError, notFound } from "../problem.ts";
import { type AnyContext, rowsOf } from "../route-context.ts";
import { asExecution } from "./executions.ts";
import { extentOf, filterOf, rangeOf } from "./selection.ts";

export type ShownProfile = { readonly execution: ExecutionRow | null; readonly reason: "selected" | "latest" | "no_live_samples" | null; readonly type: ProfileTypeName };
export type ProfileSelection = { readonly selection: SampleSelection; readonly filter: Filter; readonly shown: ShownProfile; readonly extent: DataExtent };

// What an answer says of what it is about.
export function profileHead({ extent, shown }: ProfileSelection): Pick<Flamegraph, "range" | "ingestedThrough" | "profileType" | "execution" | "executionReason"> {
  return { ...extent, profileType: shown.type, execution: shown.execution && asExecution(shown.execution), executionReason: shown.reason };
}

type Context = AnyContext & { readonly query: ProfileQuery };

// What it will most often be, before anything was asked: live samples of the given or the first type. Asking for it is nearly free where there are none, because the
// type stands in the key; so a statement may set out with it while the choice is made. Null: an execution was chosen.
export function likelySelection(context: Context): SampleSelection | null {
  const { query, nowMs } = context;
  if (query.execution !== undefined && query.execution !== "live") return null;
  return selectionOf(context, rangeOf(query, nowMs), filterOf(query.filter, "flamegraph"), { execution: null, reason: null, type: query.type ?? profileTypeNames[0]! });
}

export async function profileSelection(context: Context): Promise<ProfileSelection> {
  const range = rangeOf(context.query, context.nowMs);
  const filter = filterOf(context.query.filter, "flamegraph");
  const [extent, shown] = await Promise.all([extentOf(context, range), chooseShown(context, range)]);
  return { selection: selectionOf(context, range, filter, shown), filter, shown, extent };
}

function selectionOf({ caller, nowMs }: Context, range: Seconds, filter: Filter, { type, execution }: ShownProfile): SampleSelection {
  return {
    scope: caller.scope, profileType: type, executionId: execution?.execution_id ?? "", ...range, nowS: Math.floor(nowMs / 1000),
    where: where(filter, "samples"), rollup: rollupFor(filter),
  };
}

// Live samples, a chosen execution, or the latest execution where the range has no live samples at all (and then the answer says so).
async function chooseShown(context: Context, range: Seconds): Promise<ShownProfile> {
  const { query } = context;
  if (query.execution !== undefined && query.execution !== "live") {
    const wanted = query.execution === "latest" ? latestExecution() : executionById(query.execution);
    const [row] = await rowsOf(context, wanted, "execution");
    if (row === undefined) throw notFound();
    if (row.parts_stored < row.parts) throw new ApiError("not_found", { detail: `The execution is still arriving: ${row.parts_stored} of ${row.parts} parts are stored. Retry shortly.`, retryAfterS: 2 });
    return { execution: row, reason: query.execution === "latest" ? "latest" : "selected", type: query.type ?? (row.profile_type as ProfileTypeName) };
  }
  const live = (await rowsOf(context, liveProfileTypes(range.fromS, range.toS), "profile-types")).map((row) => row.profile_type);
  const type = query.type ?? profileTypeNames.find((name) => live.includes(name));
  if (query.execution === undefined && live.length === 0) {
    const [row] = await rowsOf(context, latestExecution(), "execution");
    if (row !== undefined) return { execution: row, reason: "no_live_samples", type: query.type ?? (row.profile_type as ProfileTypeName) };
  }
  return { execution: null, reason: null, type: type ?? "cuda" };
}
