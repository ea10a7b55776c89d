// The store's answer about whole stacks → tree. The store sorts the stacks by their frames and sends of each only what the one before does not share: the nodes of
// the tree, once. They come by frame, so that a long name travels once: as (number of the stack, position in it), both from 1.
import type { ProfileTypeName } from "#schema/frame-kinds.ts";
import { type ProfileTree, drawnTree } from "./export/profile-tree.ts";
import { frameOfRow, type NamedFrameRow, rootId } from "./rows.ts";
import type { Frame } from "./stacks.ts";
import { rootFrame } from "./tree.ts";

export type StackRow = NamedFrameRow & {
  // Parallel arrays, one entry per node that shows the frame. The stack without frames is position 0 of frame "0".
  readonly stacks: readonly number[];
  readonly positions: readonly number[];
  // Parallel arrays, one entry per stack that ends in the frame.
  readonly ends: readonly number[];
  readonly values: readonly string[]; // decimal, up to 2^64 − 1
  readonly counts: readonly string[];
  // Of the whole view, the same in every row. Over the bounds that were asked for, the first stack alone is sent.
  readonly all_stacks: number;
  readonly all_nodes: number;
};

export function treeOfStackRows(rows: readonly StackRow[], profileType: ProfileTypeName): ProfileTree {
  const frames: Frame[] = [];
  const stacks = rows[0]?.all_stacks ?? 0;
  // Which frame stands where: nodes of a stack lie together, by position, and so a node comes behind its parent.
  const first = new Uint32Array(stacks + 2); // stack → its first node
  const shared = new Uint32Array(stacks + 1).fill(2 ** 32 - 1); // stack → frames it shares with the stack before
  for (const row of rows) {
    if (row.frame === rootId) continue;
    row.stacks.forEach((stack, at) => {
      first[stack + 1]!++;
      shared[stack] = Math.min(shared[stack]!, row.positions[at]! - 1);
    });
  }
  first[1] = 1; // behind the root
  for (let stack = 1; stack <= stacks; stack++) first[stack + 1]! += first[stack]!;
  const size = first[stacks + 1]!;
  const [parent, frame, self, selfCount] = [new Int32Array(size), new Int32Array(size), new BigUint64Array(size), new BigUint64Array(size)];
  [parent[0], frame[0]] = [-1, rootFrame];
  for (const row of rows) {
    const number = row.frame === rootId ? rootFrame : frames.push(frameOfRow(row)) - 1;
    if (number !== rootFrame) row.stacks.forEach((stack, at) => void (frame[first[stack]! + row.positions[at]! - 1 - shared[stack]!] = number));
    row.ends.forEach((stack, at) => {
      const last = number === rootFrame ? 0 : first[stack + 1]! - 1;
      self[last] = BigInt(row.values[at]!);
      selfCount[last] = BigInt(row.counts[at]!);
    });
  }
  const path = [0]; // position → node
  for (let stack = 1; stack <= stacks; stack++) {
    for (let node = first[stack]!, position = shared[stack]! + 1; node < first[stack + 1]!; node++, position++) {
      parent[node] = path[position - 1]!;
      path[position] = node;
    }
  }
  return drawnTree({ profileType, frames, parent, frame, self, selfCount });
}
