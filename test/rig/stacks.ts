// Profiles drawn as text columns, trees printed as indented text, and random profiles for property tests.
//
//   model:layer     model:layer     main
//   layers.0:layer  layers.1:layer  gemm:gpu_kernel
//   gemm:gpu_kernel norm:gpu_kernel 5
//   10              2/4
//
// One column is one stack, root first; its last cell is the value, or value/count. A frame is a Python frame unless it ends in ":kind"; "name@path" gives a
// layer its module path. Cells belong to the column whose first cell starts at the same place.
import fc from "fast-check";
import type { FlamegraphColumns } from "#core/flamegraph/columns.ts";
import type { FoldedRows } from "#core/flamegraph/rows.ts";
import { type Frame, type StackProfile, frameIdentity } from "#core/flamegraph/stacks.ts";
import { type TreeNode, foldStacks, otherFrame, pruneTree, rootFrame } from "#core/flamegraph/tree.ts";
import { layerFrameName } from "#core/shape/frame-name.ts";
import { type FrameKindName, frameKindNames, frameKinds } from "#schema/frame-kinds.ts";

export function drawProfile(drawing: string): StackProfile {
  const lines = drawing.split("\n").filter((line) => line.trim() !== "");
  const starts = [...lines[0]!.matchAll(/\S+( \S+)*/g)].map((cell) => cell.index);
  const frames: Frame[] = [];
  const numbers = new Map<string, number>();
  const stacks = starts.map((start, column) => {
    const cells = lines.map((line) => line.slice(start, starts[column + 1]).trim()).filter((cell) => cell !== "");
    const [value, count] = cells.pop()!.split("/");
    return { frames: cells.map((cell) => intern(frame(cell))), value: BigInt(value!), count: BigInt(count ?? value!) };
  });
  return { profileType: "cuda", frames, stacks };

  function intern(one: Frame): number {
    const identity = frameIdentity(one);
    if (!numbers.has(identity)) numbers.set(identity, frames.push(one) - 1);
    return numbers.get(identity)!;
  }
}

export function frame(text: string): Frame {
  const [, name, path, kind] = /^(.*?)(?:@(\S+?))?(?::([a-z_]+))?$/.exec(text)!;
  if (kind !== undefined && !Object.hasOwn(frameKinds, kind)) throw new Error(`no frame kind ${kind}`);
  return { kind: (kind ?? "python") as FrameKindName, name: name!, file: "", line: 0, mapping: "", modulePath: path ?? "", moduleClass: "", modelKey: "" };
}

// `name total/self ×count`, two spaces per level.
export function treeText(root: TreeNode, frames: readonly Frame[]): string {
  const lines: string[] = [];
  const print = (node: TreeNode, depth: number): void => {
    const name = node.frame === rootFrame ? "all" : node.frame === otherFrame ? "(other)" : frames[node.frame]!.name;
    lines.push(`${"  ".repeat(depth)}${name} ${node.total}/${node.self} ×${node.count}`);
    for (const child of node.children) print(child, depth + 1);
  };
  print(root, 0);
  return lines.join("\n");
}

// As the store would answer it, cut after `nodesMax` nodes; ids are those of nothing stored.
export function foldedRowsOf(profile: StackProfile, nodesMax = 1e6): FoldedRows {
  const { tree, ...cut } = pruneTree(foldStacks(profile), nodesMax);
  return { tree, ...cut, frames: profile.frames, ids: profile.frames.map((_frame, number) => String(number + 16)), whole: tree.total, samples: 0n, withoutLayer: 0n };
}

// The same text from the columnar answer.
export function columnsText({ nodes, frames }: Pick<FlamegraphColumns, "nodes" | "frames">): string {
  const depths: number[] = [];
  return nodes.parent.map((parent, node) => {
    depths[node] = parent < 0 ? 0 : depths[parent]! + 1;
    const name = parent < 0 ? "all" : frames.name[nodes.frame[node]!]!;
    return `${"  ".repeat(depths[node]!)}${name} ${nodes.total[node]}/${nodes.self[node]} ×${nodes.count[node]}`;
  }).join("\n");
}

// Few frames, so that prefixes are shared, stacks recur and ties happen; some stacks are empty, some values zero.
export const randomProfile: fc.Arbitrary<StackProfile> = fc
  .uniqueArray(fc.record({ kind: fc.constantFrom(...frameKindNames), name: fc.constantFrom("a", "b", "c", "d", "e"), path: fc.constantFrom("", "x", "y") }), {
    minLength: 1, maxLength: 12, selector: ({ kind, name, path }) => `${kind} ${name} ${path}`,
  })
  .chain((kinds) =>
    fc.array(
      fc.record({
        frames: fc.array(fc.nat(kinds.length - 1), { maxLength: 9 }),
        value: fc.oneof(fc.bigInt(0n, 5n), fc.bigInt(0n, 10n ** 9n)),
        count: fc.bigInt(0n, 4n),
      }),
      { maxLength: 30 },
    ).map((stacks) => ({
      profileType: "cuda" as const,
      frames: kinds.map(({ kind, name, path }) => ({ ...frame(name), kind, modulePath: path })),
      stacks,
    })),
  );

// Layers of numbered blocks among other frames; names as frames of that path have them.
export const randomLayers: fc.Arbitrary<StackProfile> = fc
  .uniqueArray(fc.oneof(
    fc.record({ kind: fc.constant("layer" as const), path: fc.constantFrom("", "h", "h.0", "h.1", "h.0.a", "h.1.a", "h.0.1", "h.1.0", "0", "x.07", "N[0]", "N[0].B[0]", "N[0].B[1]", "N[0].B[1].L[0]", "N[0].L[1]"), name: fc.constantFrom("A", "B") }),
    fc.record({ kind: fc.constantFrom(...frameKindNames), path: fc.constant(""), name: fc.constantFrom("a", "b", "c") }),
  ), { minLength: 1, maxLength: 14, selector: ({ kind, path, name }) => `${kind} ${path} ${name}` })
  .chain((drawnFrames) => fc.array(
    fc.record({ frames: fc.array(fc.nat(drawnFrames.length - 1), { maxLength: 8 }), value: fc.bigInt(0n, 1_000n), count: fc.bigInt(0n, 4n) }), { maxLength: 25 },
  ).map((stacks) => ({
    profileType: "cuda" as const, stacks,
    frames: drawnFrames.map(({ kind, path, name }) => ({ ...frame(kind === "layer" ? layerFrameName({ className: name, path, modelName: "net" }) : name), kind, name: kind === "layer" ? layerFrameName({ className: name, path, modelName: `net${name}` }) : name, modulePath: path, moduleClass: kind === "layer" ? name : "" })),
  })));
