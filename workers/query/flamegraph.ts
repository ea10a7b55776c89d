// One flamegraph: parse, choose what to show, ask, answer in columns.
import { flamegraphRows } from "#clickhouse/flamegraph.ts";
import type { SampleSelection } from "#clickhouse/samples.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { treeOfRows } from "#core/flamegraph/rows.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { likelySelection, profileHead, profileSelection } from "./profile-selection.ts";
import { stackViewOf } from "./stack-view.ts";

export const flamegraph: Handler<"flamegraph"> = async (context) => {
  const { query } = context;
  const view = stackViewOf(query);
  const ask = (selection: SampleSelection) => rowsOf(context, flamegraphRows(selection, view, query.max_nodes), "flamegraph");
  const likely = likelySelection(context);
  const ahead = likely === null ? undefined : ask(likely);
  ahead?.catch(() => undefined); // where something else is shown nobody waits for it
  const profile = await profileSelection(context);
  const { profileType, executionId } = profile.selection;
  const rows = await (ahead !== undefined && executionId === "" && profileType === likely!.profileType ? ahead : ask(profile.selection));
  const columns = flamegraphColumns(treeOfRows(rows), profile.shown.type);
  return {
    ...profileHead(profile), ...columns,
    // Frames of simulated profiles are written by our own rig only, and it marks their mapping.
    simulated: columns.frames.mapping.includes("simulated"),
  };
};
