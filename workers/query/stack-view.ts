// How a query wants its stacks looked at: hex ids of the wire → decimal ones of the store.
import { decimalFrameId } from "#core/flamegraph/frame-id.ts";
import type { StackView } from "#core/flamegraph/stack-view.ts";
import type { StackViewQuery } from "#schema/api/flamegraph.ts";
import { type FrameKindName, frameKindNames } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";

export function stackViewOf({ layers, hide, invert, frame, side, focus }: StackViewQuery): StackView<string> {
  const path = focus === "" ? [] : focus.split(".");
  if (path.length > limits.focusFramesMax) {
    throw new ApiError("parameter_invalid", { detail: `\`focus\` has ${path.length} frames, ${limits.focusFramesMax} are allowed. Hide a kind of frames, or ask for \`frame\` instead.` });
  }
  return {
    hide: hiddenKinds(hide, layers), foldLayers: layers === "fold", layersByPath: false, invert: invert === "1",
    around: frame === undefined ? null : { frame: decimalFrameId(frame), side }, focus: path.map(decimalFrameId),
  };
}

function hiddenKinds(text: string, layers: StackViewQuery["layers"]): ReadonlySet<FrameKindName> {
  const hidden = new Set<FrameKindName>(layers === "hide" ? ["layer"] : []);
  for (const word of text.split(",").map((one) => one.trim()).filter(Boolean)) {
    const kind = frameKindNames.find((name) => name === word);
    if (kind === undefined) throw new ApiError("parameter_invalid", { detail: `\`hide\` has "${word.slice(0, 40)}", which is no frame kind. Kinds: ${frameKindNames.join(", ")}.` });
    hidden.add(kind);
  }
  return hidden;
}
