// Weighted stacks: what every producer comes down to and what a flamegraph is folded from.
// Invariant: stacks are root first and name frames by number; within one profile no two frames share an identity (`frameIdentity`), so numbers compare.
import { type FrameKindName, type ProfileTypeName, frameKinds } from "#schema/frame-kinds.ts";

export type Frame = {
  readonly kind: FrameKindName;
  readonly name: string; // of a layer: "<Class> <attribute>"
  readonly file: string;
  readonly line: number; // first line of the function; 0 = not known
  readonly mapping: string; // binary or library the frame belongs to
  readonly modulePath: string; // layers only
  readonly moduleClass: string; // layers only
  readonly modelKey: string; // layers only
};

// `value` is in the profile type's unit (ns or count), `count` is the launches or calls behind it.
// `originals`: where layers of every block were made one, the frame that each stands for; only then there.
export type WeightedStack = { readonly frames: readonly number[]; readonly value: bigint; readonly count: bigint; readonly originals?: readonly number[] };

export type StackProfile = { readonly profileType: ProfileTypeName; readonly frames: readonly Frame[]; readonly stacks: readonly WeightedStack[] };

// The line is where a function starts: it moves with every edit above it and does not tell functions apart.
export function frameIdentity(frame: Frame): string {
  return [frame.kind, frame.name, frame.file, frame.mapping, frame.modulePath, frame.modelKey].join("\0");
}

// The order of equally heavy siblings: by name, then by whatever else tells frames apart. Plain code units: a locale would differ between machines.
export function compareFrames(a: Frame, b: Frame): number {
  return (
    compareText(a.name, b.name) ||
    compareText(a.modulePath, b.modulePath) ||
    frameKinds[a.kind].number - frameKinds[b.kind].number ||
    compareText(a.file, b.file) ||
    compareText(a.mapping, b.mapping) ||
    compareText(a.modelKey, b.modelKey)
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
