// One flamegraph: parse, choose what to show, ask, answer in columns.
import { executionById, latestExecution, type ExecutionRow } from "#clickhouse/executions.ts";
import { flamegraphRows } from "#clickhouse/flamegraph.ts";
import { liveProfileTypes } from "#clickhouse/profile-types.ts";
import { rollupFor, where } from "#clickhouse/where.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { treeOfRows } from "#core/flamegraph/rows.ts";
import type { Seconds } from "#core/time-range.ts";
import { type FrameKindName, frameKindNames, type ProfileTypeName, profileTypeNames } from "#schema/frame-kinds.ts";
import { ApiError, notFound } from "../problem.ts";
import { type Handler, type RouteContext, rowsOf } from "../route-context.ts";
import type { routes } from "#schema/api/routes.ts";
import { asExecution } from "./executions.ts";
import { extentOf, filterOf, rangeOf } from "./selection.ts";

type Context = RouteContext<(typeof routes)["flamegraph"]>;
type Shown = { readonly execution: ExecutionRow | null; readonly reason: "selected" | "latest" | "no_live_samples" | null; readonly type: ProfileTypeName };

export const flamegraph: Handler<"flamegraph"> = async (context) => {
  const { query, caller, nowMs } = context;
  const range = rangeOf(query, nowMs);
  const filter = filterOf(query.filter, "flamegraph");
  const hide = hiddenKinds(query.hide, query.layers);
  const [extent, shown] = await Promise.all([extentOf(context, range), chooseShown(context, range)]);
  const selection = {
    scope: caller.scope, profileType: shown.type, executionId: shown.execution?.execution_id ?? "", ...range, nowS: Math.floor(nowMs / 1000),
    where: where(filter, "samples"), rollup: rollupFor(filter),
  };
  const rows = await rowsOf(context, flamegraphRows(selection, hide, query.max_nodes), "flamegraph");
  const columns = flamegraphColumns(treeOfRows(rows), shown.type);
  return {
    ...extent, ...columns, profileType: shown.type, execution: shown.execution && asExecution(shown.execution), executionReason: shown.reason,
    // Frames of simulated profiles are written by our own rig only, and it marks their mapping.
    simulated: columns.frames.mapping.includes("simulated"),
  };
};

// Live samples, a chosen execution, or the latest execution where the range has no live samples at all (and then the answer says so).
async function chooseShown(context: Context, range: Seconds): Promise<Shown> {
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

function hiddenKinds(text: string, layers: "show" | "hide"): ReadonlySet<FrameKindName> {
  const hidden = new Set<FrameKindName>(layers === "hide" ? ["layer"] : []);
  for (const word of text.split(",").map((one) => one.trim()).filter(Boolean)) {
    const kind = frameKindNames.find((name) => name === word);
    if (kind === undefined) throw new ApiError("parameter_invalid", { detail: `\`hide\` has "${word.slice(0, 40)}", which is no frame kind. Kinds: ${frameKindNames.join(", ")}.` });
    hidden.add(kind);
  }
  return hidden;
}
