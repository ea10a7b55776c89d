// All stacks of a view as one tree in columns: 40 bytes a node, so that half a million of them fit an isolate beside what they came from. Nothing is cut.
// Nodes come as they are drawn: depth first, the heaviest child first. Node 0 is the root.
// Invariant: total = self + Σ children's totals, likewise for counts.
import type { ProfileTypeName } from "#schema/frame-kinds.ts";
import { type Frame, compareFrames } from "../stacks.ts";
import { rootFrame } from "../tree.ts";

export type ProfileTree = {
  readonly profileType: ProfileTypeName;
  readonly frames: readonly Frame[];
  readonly parent: Int32Array; // -1 for node 0
  readonly frame: Int32Array; // number in `frames`; rootFrame for node 0
  readonly self: BigUint64Array; // in the profile type's unit
  readonly selfCount: BigUint64Array;
  readonly total: BigUint64Array;
  readonly count: BigUint64Array; // behind `total`
};

export type UndrawnTree = Pick<ProfileTree, "profileType" | "frames" | "parent" | "frame" | "self" | "selfCount">;

// Adds up the totals and puts the nodes in drawing order. Every node but the root comes after its parent.
export function drawnTree({ profileType, frames, parent, frame, self, selfCount }: UndrawnTree): ProfileTree {
  const size = parent.length;
  const [total, count] = [self.slice(), selfCount.slice()];
  for (let node = size - 1; node > 0; node--) {
    const above = parent[node]!;
    total[above]! += total[node]!;
    count[above]! += count[node]!;
  }
  const { first, children } = childrenByParent(parent);
  const lighter = (a: number, b: number) => (total[a]! > total[b]! ? -1 : total[a]! < total[b]! ? 1 : compareFrames(frames[frame[a]!]!, frames[frame[b]!]!) || a - b);
  for (let node = 0; node < size; node++) if (first[node + 1]! - first[node]! > 1) children.subarray(first[node], first[node + 1]).sort(lighter);

  const drawn = { parent: new Int32Array(size), frame: new Int32Array(size), self: new BigUint64Array(size), selfCount: new BigUint64Array(size), total: new BigUint64Array(size), count: new BigUint64Array(size) };
  const numbers = new Int32Array(size); // node → its number as drawn
  const open = [0];
  for (let number = 0; open.length > 0; number++) {
    const node = open.pop()!;
    numbers[node] = number;
    drawn.parent[number] = node === 0 ? -1 : numbers[parent[node]!]!;
    drawn.frame[number] = node === 0 ? rootFrame : frame[node]!;
    drawn.self[number] = self[node]!;
    drawn.selfCount[number] = selfCount[node]!;
    drawn.total[number] = total[node]!;
    drawn.count[number] = count[node]!;
    for (let at = first[node + 1]! - 1; at >= first[node]!; at--) open.push(children[at]!);
  }
  return { profileType, frames, ...drawn };
}

// The children of a node are children[first[node] … first[node + 1]).
function childrenByParent(parent: Int32Array): { first: Uint32Array; children: Uint32Array } {
  const size = parent.length;
  const first = new Uint32Array(size + 1);
  for (let node = 1; node < size; node++) first[parent[node]! + 1]!++;
  for (let node = 0; node < size; node++) first[node + 1]! += first[node]!;
  const next = first.slice();
  const children = new Uint32Array(Math.max(0, size - 1));
  for (let node = 1; node < size; node++) children[next[parent[node]!]!++] = node;
  return { first, children };
}

// A stack that has something of its own. `path`: its frames, root first; the array is the same for all stacks, and overwritten by the next.
export type OwnStack = { readonly node: number; readonly path: readonly number[] };

export function* ownStacks(tree: ProfileTree): Generator<OwnStack> {
  const { parent, frame, self, selfCount } = tree;
  const nodes: number[] = []; // from the root's child to the current node
  const path: number[] = [];
  for (let node = 0; node < parent.length; node++) {
    while (nodes.length > 0 && nodes.at(-1) !== parent[node]) {
      nodes.pop();
      path.pop();
    }
    if (node > 0) {
      nodes.push(node);
      path.push(frame[node]!);
    }
    if (self[node]! > 0n || selfCount[node]! > 0n) yield { node, path };
  }
}

// Value of stacks that the dictionary lacks, or whose frames are all hidden, ends at the root.
export function hasEmptyStack({ self, selfCount }: ProfileTree): boolean {
  return (self[0] ?? 0n) > 0n || (selfCount[0] ?? 0n) > 0n;
}

// What stands where a format needs a frame, or a name, and there is none.
export const noFrames = "(no frames)";
export const noName = "(no name)";
