// Trees of whole stacks for tests: printed as treeText prints the others, and made of a profile by the plain fold.
import { drawnTree, type ProfileTree } from "#core/flamegraph/export/profile-tree.ts";
import type { StackRow } from "#core/flamegraph/stack-rows.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { foldStacks, type TreeNode } from "#core/flamegraph/tree.ts";
import { frameKinds } from "#schema/frame-kinds.ts";

export function profileTreeText({ parent, frame, self, total, count, frames }: ProfileTree): string {
  const depths: number[] = [];
  return Array.from(parent, (above, node) => {
    depths[node] = above < 0 ? 0 : depths[above]! + 1;
    return `${"  ".repeat(depths[node]!)}${above < 0 ? "all" : frames[frame[node]!]!.name} ${total[node]}/${self[node]} ×${count[node]}`;
  }).join("\n");
}

// Children in reverse order: putting them right is what the tree does.
export function profileTreeOf(profile: StackProfile): ProfileTree {
  const nodes: { node: TreeNode; parent: number }[] = [];
  const open = [{ node: foldStacks(profile), parent: -1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const number = nodes.push(next) - 1;
    for (const child of next.node.children) open.push({ node: child, parent: number });
  }
  return drawnTree({
    profileType: profile.profileType, frames: profile.frames, parent: Int32Array.from(nodes, ({ parent }) => parent), frame: Int32Array.from(nodes, ({ node }) => node.frame),
    self: BigUint64Array.from(nodes, ({ node }) => node.self), selfCount: BigUint64Array.from(nodes, ({ node }) => node.selfCount),
  });
}

// The rows as the store would answer: stacks sorted by their frames, each with what the one before does not share, by frame.
export function stackRowsOf({ frames, stacks }: StackProfile): StackRow[] {
  const sums = new Map<string, { path: readonly number[]; value: bigint; count: bigint }>();
  for (const { frames: path, value, count } of stacks) {
    const sum = sums.get(path.join());
    sums.set(path.join(), { path, value: value + (sum?.value ?? 0n), count: count + (sum?.count ?? 0n) });
  }
  const sorted = [...sums.values()].sort((a, b) => a.path.reduce((order, frame, at) => order || frame - (b.path[at] ?? -1), 0) || a.path.length - b.path.length);
  const rows = new Map<number, { stacks: number[]; positions: number[]; ends: number[]; values: string[]; counts: string[] }>();
  const rowOf = (frame: number) => rows.get(frame) ?? rows.set(frame, { stacks: [], positions: [], ends: [], values: [], counts: [] }).get(frame)!;
  let nodes = 0;
  for (const [i, { path, value, count }] of sorted.entries()) {
    const before = sorted[i - 1]?.path ?? [];
    const parts = path.length === 0 ? -1 : path.findIndex((frame, at) => frame !== before[at]);
    for (let at = parts; at < path.length; at++, nodes++) {
      if (at < 0) break;
      rowOf(path[at]!).stacks.push(i + 1);
      rowOf(path[at]!).positions.push(at + 1);
    }
    const last = rowOf(path.at(-1) ?? -1);
    if (path.length === 0) {
      last.stacks.push(i + 1);
      last.positions.push(0);
    }
    last.ends.push(i + 1);
    last.values.push(String(value));
    last.counts.push(String(count));
  }
  return [...rows].map(([number, row]) => {
    const one = frames[number];
    const id = one === undefined ? "0" : String((BigInt(number + 1) << 4n) | BigInt(frameKinds[one.kind].number));
    return { frame: id, name: one?.name ?? "", file: one?.file ?? "", line: one?.line ?? 0, mapping: one?.mapping ?? "", module_path: one?.modulePath ?? "", module_class: one?.moduleClass ?? "", model_key: one?.modelKey ?? "", ...row, all_stacks: sorted.length, all_nodes: nodes };
  });
}
