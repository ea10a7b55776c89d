// One flamegraph: parse, choose what to show, ask, answer in columns.
import { flamegraphRows } from "#clickhouse/flamegraph.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { treeOfRows } from "#core/flamegraph/rows.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { profileHead, profileSelection } from "./profile-selection.ts";
import { stackViewOf } from "./stack-view.ts";

export const flamegraph: Handler<"flamegraph"> = async (context) => {
  const { query } = context;
  const view = stackViewOf(query);
  const profile = await profileSelection(context);
  const rows = await rowsOf(context, flamegraphRows(profile.selection, view, query.max_nodes), "flamegraph");
  const columns = flamegraphColumns(treeOfRows(rows), profile.shown.type);
  return {
    ...profileHead(profile), ...columns,
    // Frames of simulated profiles are written by our own rig only, and it marks their mapping.
    simulated: columns.frames.mapping.includes("simulated"),
  };
};
