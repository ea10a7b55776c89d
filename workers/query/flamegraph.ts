// One flamegraph: parse, choose what to show, ask, answer in columns.
import { flamegraphRows } from "#clickhouse/flamegraph.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { treeOfRows } from "#core/flamegraph/rows.ts";
import { type FrameKindName, frameKindNames } from "#schema/frame-kinds.ts";
import { ApiError } from "../problem.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { asExecution } from "./executions.ts";
import { profileSelection } from "./profile-selection.ts";

export const flamegraph: Handler<"flamegraph"> = async (context) => {
  const { query } = context;
  const hide = hiddenKinds(query.hide, query.layers);
  const { selection, shown, extent } = await profileSelection(context);
  const rows = await rowsOf(context, flamegraphRows(selection, hide, query.max_nodes), "flamegraph");
  const columns = flamegraphColumns(treeOfRows(rows), shown.type);
  return {
    ...extent, ...columns, profileType: shown.type, execution: shown.execution && asExecution(shown.execution), executionReason: shown.reason,
    // Frames of simulated profiles are written by our own rig only, and it marks their mapping.
    simulated: columns.frames.mapping.includes("simulated"),
  };
};

function hiddenKinds(text: string, layers: "show" | "hide"): ReadonlySet<FrameKindName> {
  const hidden = new Set<FrameKindName>(layers === "hide" ? ["layer"] : []);
  for (const word of text.split(",").map((one) => one.trim()).filter(Boolean)) {
    const kind = frameKindNames.find((name) => name === word);
    if (kind === undefined) throw new ApiError("parameter_invalid", { detail: `\`hide\` has "${word.slice(0, 40)}", which is no frame kind. Kinds: ${frameKindNames.join(", ")}.` });
    hidden.add(kind);
  }
  return hidden;
}
