// What is done to every stack before it is folded, in this order: copies of a layer become one, kinds are taken out, a frame's surroundings are cut out,
// the stack is turned over, and only what lies below a path is kept. Here over a profile at hand, the tests' oracle; clickhouse/stack-view.ts is the same in SQL.
// Invariant: value is moved, never lost: what a view leaves out (a stack without the frame, a stack elsewhere) is in `outside`.
import type { FrameKindName } from "#schema/frame-kinds.ts";
import { layerPatterns } from "./layer-pattern.ts";
import { type Frame, type StackProfile, frameIdentity } from "./stacks.ts";

// Frames are named by `Id`: their numbers in a profile, or their ids in the store. A frame that exists only after folding has an id of its own.
export type StackView<Id> = {
  readonly hide: ReadonlySet<FrameKindName>;
  readonly foldLayers: boolean; // frames of the same layer of every block become one
  readonly layersByPath: boolean; // a layer is its path, whatever its class and model: what two models have in common
  readonly around: { readonly frame: Id; readonly side: "callers" | "callees" } | null; // from its first occurrence, seen from the root
  readonly invert: boolean; // leaf first
  readonly focus: readonly Id[]; // the path, as shown, that a stack must begin with; empty: any
};

export const wholeStacks: StackView<never> = { hide: new Set(), foldLayers: false, layersByPath: false, around: null, invert: false, focus: [] };

export type Viewed = { readonly profile: StackProfile; readonly outside: { readonly value: bigint; readonly count: bigint } };

// Folding adds frames behind those of the profile: `mappedProfile` alone tells their numbers.
export function viewStacks(profile: StackProfile, view: StackView<number>): Viewed {
  const folded = mappedProfile(profile, view);
  const outside = { value: 0n, count: 0n };
  const stacks = [];
  for (const stack of folded.stacks) {
    const places = stack.frames.map((_, place) => place).filter((place) => !view.hide.has((folded.frames[stack.frames[place] as number] as Frame).kind));
    const cut = view.around === null ? places : surroundings(stack.frames, places, view.around);
    const shown = cut && view.invert ? cut.toReversed() : cut;
    const frames = shown?.map((place) => stack.frames[place] as number);
    if (shown && frames && view.focus.every((frame, at) => frames[at] === frame)) {
      stacks.push({ ...stack, frames, ...(stack.originals && { originals: shown.map((place) => stack.originals![place] as number) }) });
    } else {
      outside.value += stack.value;
      outside.count += stack.count;
    }
  }
  return { profile: { ...folded, stacks }, outside };
}

// Callers are read from the frame towards the root.
function surroundings(frames: readonly number[], places: readonly number[], { frame, side }: { frame: number; side: "callers" | "callees" }): readonly number[] | null {
  const at = places.findIndex((place) => frames[place] === frame);
  if (at < 0) return null;
  return side === "callees" ? places.slice(at) : places.slice(0, at + 1).reverse();
}

export function mappedProfile(profile: StackProfile, { foldLayers, layersByPath }: Pick<StackView<never>, "foldLayers" | "layersByPath">): StackProfile {
  if (!foldLayers && !layersByPath) return profile;
  const frames = [...profile.frames];
  const numbers = new Map(frames.map((frame, number) => [frameIdentity(frame), number]));
  const patternOf = layerPatterns(frames);
  const to = profile.frames.map((frame, number) => {
    const pattern = foldLayers ? patternOf(frame) : null;
    const byPath = layersByPath && frame.kind === "layer";
    if (pattern === null && !byPath) return number;
    const patterned = { ...frame, ...pattern };
    const mapped = byPath ? { ...patterned, name: patterned.modulePath, file: "", mapping: "", moduleClass: "", modelKey: "" } : patterned;
    const identity = frameIdentity(mapped);
    if (!numbers.has(identity)) numbers.set(identity, frames.push(mapped) - 1);
    return numbers.get(identity) as number;
  });
  return { ...profile, frames, stacks: profile.stacks.map((stack) => ({ ...stack, frames: stack.frames.map((frame) => to[frame] as number), ...(foldLayers && { originals: stack.frames }) })) };
}
