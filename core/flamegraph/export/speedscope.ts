// speedscope's own JSON: one sampled profile, its stacks in drawing order, so that speedscope's view by time is the flamegraph. A layer's file is shown as its module
// path, which tells copies apart; `lamella` beside name, file and line holds what the frame is. Counts are not held, nor stacks without value.
// Digits are exact; programs that read JSON numbers as doubles round sums over 2^53.
import { profileTypes } from "#schema/frame-kinds.ts";
import { frameMark } from "../../frame-mark.ts";
import type { Frame } from "../stacks.ts";
import type { ExportSource } from "./export-source.ts";
import { hasEmptyStack, noFrames, noName, ownStacks, type ProfileTree } from "./profile-tree.ts";

export function* speedscopeParts(tree: ProfileTree, { title, notes }: ExportSource): Generator<string> {
  const { profileType, frames, self, total } = tree;
  const { unit } = profileTypes[profileType];
  const about = { profileType, notes };
  yield `{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"lamella","name":${JSON.stringify(title)},"activeProfileIndex":0,"lamella":${JSON.stringify(about)},"shared":{"frames":[`;
  let comma = "";
  for (const frame of hasEmptyStack(tree) ? [...frames.map(frameObject), { name: noFrames }] : frames.map(frameObject)) {
    yield comma + JSON.stringify(frame);
    comma = ",";
  }
  yield `]},"profiles":[{"type":"sampled","name":${JSON.stringify(title)},"unit":"${unit === "ns" ? "nanoseconds" : "none"}","startValue":0,"endValue":${total[0]!},"samples":[`;
  comma = "";
  for (const { node, path } of ownStacks(tree)) {
    if (self[node] === 0n) continue;
    yield `${comma}[${path.length === 0 ? frames.length : path.join(",")}]`;
    comma = ",";
  }
  yield '],"weights":[';
  comma = "";
  for (let node = 0; node < self.length; node++) {
    if (self[node] === 0n) continue;
    yield `${comma}${self[node]!}`;
    comma = ",";
  }
  yield "]}]}\n";
}

function frameObject(frame: Frame): object {
  const shownFile = frame.modulePath || frame.file;
  return { name: frame.name || noName, ...(shownFile === "" ? {} : { file: shownFile }), ...(frame.line > 0 && shownFile === frame.file ? { line: frame.line } : {}), lamella: frameMark(frame) };
}
