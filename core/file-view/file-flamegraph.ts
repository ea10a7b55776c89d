// The flamegraph of a trace that was only read, in the words of the API: what a stored one would answer, but for ids of frames, which are of this file.
import type { Flamegraph, StackViewQuery } from "#schema/api/flamegraph.ts";
import { type FrameKindName, frameKindNames, frameKinds } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { mappedProfile, type StackView, viewStacks } from "#core/flamegraph/stack-view.ts";
import type { Frame, StackProfile } from "#core/flamegraph/stacks.ts";
import { foldStacks, pruneTree } from "#core/flamegraph/tree.ts";
import type { Execution } from "#core/trace/execution.ts";
import { executionProfile } from "./execution-profile.ts";

export type FileFlamegraphQuery = Partial<Pick<StackViewQuery, "layers" | "hide" | "invert" | "frame" | "side">>;
export type OpenedTrace = { readonly execution: Execution; readonly profile: StackProfile; readonly name: string; readonly savedAt: string };

export function openTrace(execution: Execution, name: string, savedAt: string): OpenedTrace {
  return { execution, profile: executionProfile(execution), name, savedAt };
}

export function fileFlamegraph({ execution, profile, name, savedAt }: OpenedTrace, query: FileFlamegraphQuery, nodesMax: number = limits.flamegraphNodesDefault): Flamegraph {
  const view = viewOf(profile, query);
  const { profile: viewed, outside } = viewStacks(profile, view);
  const { tree, cutNodes, cutTotal } = pruneTree(foldStacks(viewed), nodesMax);
  const ids = viewed.frames.map((frame, number) => idOf(frame, number));
  const isLayer = (frame: number) => profile.frames[frame]?.kind === "layer";
  const withoutLayer = viewStacks(profile, { ...view, hide: new Set() }).profile.stacks.reduce((sum, stack) => ((stack.originals ?? stack.frames).some(isLayer) ? sum : sum + stack.value), 0n);
  const columns = flamegraphColumns({ tree, frames: viewed.frames, ids, whole: tree.total + outside.value, samples: BigInt(execution.samples.length), withoutLayer, cutNodes, cutTotal }, profile.profileType);
  const recordedAt = execution.recordedAtNs === 0n ? null : new Date(Number(execution.recordedAtNs / 1_000_000n)).toISOString();
  const { device, profileType, pathSource, modelName, modelKey, durationNs, totals, events, gaps, notes } = execution;
  return {
    range: { from: recordedAt ?? savedAt, to: recordedAt ?? savedAt }, ingestedThrough: null, profileType,
    execution: {
      id: "", name, device, profileType, pathSource, modelName, modelKey, recordedAt, importedAt: savedAt, durationNs, totalValue: totals.value, moduleValue: totals.moduleValue, kernels: totals.kernels, events,
      gaps: gaps.map((gap) => ({ ...gap })), notes, parts: { stored: 0, of: 0 }, complete: true,
    },
    executionReason: "selected", ...columns, simulated: false,
  };
}

function viewOf(profile: StackProfile, { layers = "show", hide = "", invert = "0", frame, side = "callees" }: FileFlamegraphQuery): StackView<number> {
  const hidden = new Set<FrameKindName>(frameKindNames.filter((kind) => hide.split(",").includes(kind)));
  if (layers === "hide") hidden.add("layer");
  const view = { hide: hidden, foldLayers: layers === "fold", layersByPath: false, invert: invert === "1", focus: [], around: null };
  // The id of a frame that is not here stands for none: then no stack has it.
  if (frame === undefined) return view;
  const number = Number(BigInt(`0x${frame}`) >> 4n) - 1;
  const known = number >= 0 && number < mappedProfile(profile, view).frames.length;
  return { ...view, around: { frame: known ? number : -1, side } };
}

// 60 bits for the number in this file's list, above 4 of the kind, as ids of stored frames are built.
function idOf({ kind }: Frame, number: number): string {
  return ((BigInt(number + 1) << 4n) | BigInt(frameKinds[kind].number)).toString();
}
