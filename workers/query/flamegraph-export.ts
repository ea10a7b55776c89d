// What a flamegraph shows, whole, as a file. Everything that can be refused is refused before the first byte: what follows is made from memory, piece by piece.
import { stackRows } from "#clickhouse/stacks.ts";
import type { ExportSource } from "#core/flamegraph/export/export-source.ts";
import type { ProfileTree } from "#core/flamegraph/export/profile-tree.ts";
import { hexFrameId } from "#core/flamegraph/frame-id.ts";
import { writeExport } from "#core/flamegraph/export/write-export.ts";
import { treeOfStackRows } from "#core/flamegraph/stack-rows.ts";
import type { StackView } from "#core/flamegraph/stack-view.ts";
import { exportHeaders } from "#schema/api/flamegraph-export.ts";
import type { DataExtent } from "#schema/api/time-range.ts";
import { exportFormats } from "#schema/export-formats.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { profileSelection, type ShownProfile } from "./profile-selection.ts";
import { stackViewOf } from "./stack-view.ts";

export const flamegraphExport: Handler<"flamegraphExport"> = async (context) => {
  const { filter, format } = context.query;
  const view = stackViewOf(context.query);
  const { selection, shown, extent } = await profileSelection(context);
  const rows = await rowsOf(context, stackRows(selection, view, { stacksMax: limits.exportStacksMax, nodesMax: limits.exportNodesMax }), "export");
  const { all_stacks: stacks = 0, all_nodes: nodes = 0 } = rows[0] ?? {};
  if (stacks > limits.exportStacksMax || nodes > limits.exportNodesMax) throw tooLarge(stacks, nodes);
  const tree = treeOfStackRows(rows, shown.type);
  const { contentType, extension } = exportFormats[format];
  const body = streamOf(writeExport(format, tree, sourceOf(tree, shown, extent, filter, view)));
  const headers: Record<string, string> = {
    "content-type": contentType, "content-disposition": `attachment; filename="${fileName(shown, extent)}.${extension}"`, "cache-control": "no-store",
    [exportHeaders.profileType]: shown.type, [exportHeaders.stacks]: String(stacks),
    ...(shown.execution === null ? {} : { [exportHeaders.execution]: shown.execution.execution_id, [exportHeaders.executionReason]: shown.reason ?? "selected" }),
  };
  return new Response(format === "pprof" ? body.pipeThrough(new CompressionStream("gzip")) : body, { headers });
};

function tooLarge(stacks: number, nodes: number): ApiError {
  const figure = (value: number) => value.toLocaleString("en-US");
  return new ApiError("limit_exceeded", {
    detail: `There are ${figure(stacks)} different stacks with ${figure(nodes)} nodes, and a file holds ${figure(limits.exportStacksMax)} (exportStacksMax) with ${figure(limits.exportNodesMax)} (exportNodesMax). Narrow \`from\`, \`to\` or \`filter\`, or take a kind of frames out: \`hide=python\`.`,
  });
}

// Of letters, digits, dots and dashes alone: "lamella-cuda-3f9a07d2c1b4", or with the range "lamella-cuda-20251129T143200Z-20251129T153200Z".
function fileName({ type, execution }: ShownProfile, { range }: DataExtent): string {
  const moment = (iso: string) => iso.replaceAll(/[-:]|\.\d+/g, "");
  return `lamella-${type}-${execution === null ? `${moment(range.from)}-${moment(range.to)}` : execution.execution_id.slice(0, 12)}`;
}

function sourceOf(tree: ProfileTree, { type, execution, reason }: ShownProfile, { range, ingestedThrough }: DataExtent, filter: string, view: StackView<string>): ExportSource {
  const { label } = profileTypes[type];
  const notes = [
    ...(execution === null ? [ingestedThrough === null ? "Nothing was ever ingested." : `Complete through ${ingestedThrough}.`] : []),
    ...(reason === "no_live_samples" ? ["The latest execution: the range has no live samples."] : []),
    ...(filter === "" ? [] : [`Filter: ${filter}`]),
    ...viewNotes(view),
    ...(tree.frames.some(({ mapping }) => mapping === "simulated") ? ["Simulated data: no real device was measured."] : []),
  ];
  if (execution !== null) {
    const { name, device, execution_id: id, recorded_at_ns: recordedAt, duration_ns: duration } = execution;
    return { title: `${label} of ${name} on ${device}, execution ${id.slice(0, 12)}`, fromNs: BigInt(recordedAt), durationNs: BigInt(Math.round(duration)), notes };
  }
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)];
  return { title: `${label}, live samples from ${range.from} to ${range.to}`, fromNs: BigInt(from) * 1_000_000n, durationNs: BigInt(to - from) * 1_000_000n, notes };
}

function viewNotes({ hide, foldLayers, around, invert, focus }: StackView<string>): string[] {
  return [
    ...(hide.size > 0 ? [`Taken out of every stack: ${[...hide].join(", ")}.`] : []),
    ...(foldLayers ? ["The same layer of every block is one frame."] : []),
    ...(around === null ? [] : [`Only stacks with the frame ${hexFrameId(around.frame)}: its ${around.side}.`]),
    ...(invert ? ["Stacks are turned over: leaf first."] : []),
    ...(focus.length > 0 ? [`Only stacks that begin with ${focus.map(hexFrameId).join(".")}.`] : []),
  ];
}

// One piece at a time, as fast as it is taken.
function streamOf(parts: Generator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void parts.return(undefined),
  });
}
