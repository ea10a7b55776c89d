// Recursion collapsed, chains grouped and kinds taken out, drawn; and over random profiles: no transform changes a total, however it is combined.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collapseRecursion } from "#core/flamegraph/collapse-recursion.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { groupChains } from "#core/flamegraph/group-chains.ts";
import { type DrawnTree, type ShownTree, thenShown } from "#core/flamegraph/shown-tree.ts";
import { type StackView, viewStacks, wholeStacks } from "#core/flamegraph/stack-view.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { foldStacks } from "#core/flamegraph/tree.ts";
import { indexTree, pathTo } from "#core/flamegraph/tree-index.ts";
import { withoutKinds } from "#core/flamegraph/without-kinds.ts";
import { frameKindNames } from "#schema/frame-kinds.ts";
import { columnsText, drawProfile, foldedRowsOf, randomProfile } from "#test/rig/stacks.ts";

const columns = (profile: StackProfile, nodesMax?: number): DrawnTree => flamegraphColumns(foldedRowsOf(profile, nodesMax), "cuda");
const text = (tree: DrawnTree, shown: ShownTree) => columnsText({ nodes: shown.nodes, frames: tree.frames });

describe("collapsed recursion", () => {
  const collapsed = (drawing: string) => {
    const tree = columns(drawProfile(drawing));
    return text(tree, collapseRecursion(tree));
  };

  test("a frame that calls itself is one, and what it calls hangs below it", () => {
    expect(collapsed(`
      main            main            main
      call            call            call
      call            call            5
      call            k:gpu_kernel
      k:gpu_kernel    20
      100
    `)).toBe(`all 125/0 ×125
  main 125/0 ×125
    call 125/5 ×125
      k 120/120 ×120`);
  });

  test("through others too: only the frame that recurs goes, and those between stay", () => {
    expect(collapsed(`
      call            call
      forward         forward
      call            8
      mlp
      k:gpu_kernel
      30
    `)).toBe(`all 38/0 ×38
  call 38/0 ×38
    forward 38/8 ×38
      mlp 30/0 ×30
        k 30/30 ×30`);
  });

  test("what ends in the frame that recurs stays its own", () => {
    expect(collapsed(`
      a       a
      b       b
      a       10
      7
    `)).toBe(`all 17/0 ×17
  a 17/0 ×17
    b 17/10 ×17
      a 7/7 ×7`);
  });

  test("5,000 frames deep", () => {
    const deep = { profileType: "cuda" as const, frames: drawProfile("a  b\n1  1").frames, stacks: [{ frames: Array.from({ length: 5_000 }, (_, at) => at % 2), value: 9n, count: 1n }] };
    const tree = columns(deep);
    expect(text(tree, collapseRecursion(tree))).toBe(`all 9/0 ×1
  a 9/0 ×1
    b 9/9 ×1`);
    expect(groupChains(tree).nodes.parent).toEqual([-1, 0]);
    expect(withoutKinds(tree, new Set(["python"])).nodes.total).toEqual([9]);
  });
});

describe("grouped chains", () => {
  test("single callees of the same kind with 99 % of their caller are one, which has the name of the last", () => {
    const tree = columns(drawProfile(`
      main            main            main
      run             run             run
      step            step            1
      net:layer       net:layer
      forward         forward
      k:gpu_kernel    j:gpu_kernel
      600             399
    `));
    const shown = groupChains(tree);
    expect(text(tree, shown)).toBe(`all 1000/0 ×1000
  step 1000/1 ×1000
    net 999/0 ×999
      forward 999/0 ×999
        k 600/600 ×600
        j 399/399 ×399`);
    expect([...shown.chain!]).toEqual([1, 3, 1, 1, 1, 1]);
  });

  test("not where the caller keeps more than 1 %, and not past a branch", () => {
    const tree = columns(drawProfile(`
      a       a       b       b
      c       20      c       d
      1000            500     500
    `));
    expect([...groupChains(tree).chain!].every((frames) => frames === 1)).toBe(true);
  });
});

describe("no transform changes a total", () => {
  const transforms: Record<string, (tree: DrawnTree) => ShownTree> = {
    "recursion collapsed": collapseRecursion,
    "chains grouped": groupChains,
    "layers taken out": (tree) => withoutKinds(tree, new Set(["layer"])),
    "Python and layers taken out": (tree) => withoutKinds(tree, new Set(["layer", "python"])),
    "both": (tree) => {
      const first = collapseRecursion(tree);
      return thenShown(first, groupChains({ ...tree, nodes: first.nodes }));
    },
  };
  const sumsByName = ({ nodes, frames }: DrawnTree, kind: string) => {
    const sums = new Map<string, number>();
    nodes.frame.forEach((frame, node) => void (frames.kind[frame] === kind && sums.set(frames.name[frame]!, (sums.get(frames.name[frame]!) ?? 0) + nodes.self[node]!)));
    return [...sums].filter(([, sum]) => sum > 0).sort();
  };
  const soundAgainst = (tree: DrawnTree, shown: ShownTree) => {
    const { nodes } = shown;
    const index = indexTree(nodes); // throws unless depth-first
    expect([nodes.total[0], nodes.count[0]]).toEqual([tree.nodes.total[0], tree.nodes.count[0]]);
    const [rest, counts] = [[...nodes.total], [...nodes.count]];
    nodes.parent.forEach((above, node) => {
      if (above < 0) return;
      rest[above]! -= nodes.total[node]!;
      counts[above]! -= nodes.count[node]!;
    });
    expect(rest).toEqual(nodes.self);
    expect(counts.every((count) => count >= 0)).toBe(true);
    for (let node = 0; node < index.size; node++) expect(shown.placeOf[shown.baseOf[node]!]).toBe(node);
    expect(shown.placeOf).toHaveLength(tree.nodes.parent.length);
    // Heaviest first, "(other)" last.
    for (let node = 1; node < index.size; node++) {
      const next = index.end[node]!;
      if (next >= index.end[nodes.parent[node]!]!) continue;
      expect(nodes.frame[next] === 1 || (nodes.frame[node] !== 1 && nodes.total[next]! <= nodes.total[node]!)).toBe(true);
    }
  };

  test.each(Object.entries(transforms))("%s", (_, transform) => {
    fc.assert(fc.property(randomProfile, fc.constantFrom(3, 1e6), (profile, nodesMax) => {
      const tree = columns(profile, nodesMax);
      const shown = transform(tree);
      soundAgainst(tree, shown);
      if (transform === collapseRecursion) for (const kind of frameKindNames) expect(sumsByName({ nodes: shown.nodes, frames: tree.frames }, kind)).toEqual(sumsByName(tree, kind));
    }));
  });

  test("collapsed: no path has a frame twice but where something ends in it, and each frame has the union it had", () => {
    const unions = (tree: DrawnTree) => {
      const { nodes } = tree;
      const sums = new Map<number, number>();
      nodes.frame.forEach((frame, node) => {
        if (!pathTo(nodes.parent, node).slice(0, -1).some((above) => nodes.frame[above] === frame)) sums.set(frame, (sums.get(frame) ?? 0) + nodes.total[node]!);
      });
      return [...sums].sort(([a], [b]) => a - b);
    };
    fc.assert(fc.property(randomProfile, (profile) => {
      const tree = columns(profile);
      const { nodes } = collapseRecursion(tree);
      const index = indexTree(nodes);
      nodes.frame.forEach((frame, node) => {
        const again = pathTo(nodes.parent, node).slice(0, -1).some((above) => nodes.frame[above] === frame);
        if (again) expect([index.end[node], nodes.self[node]]).toEqual([node + 1, nodes.total[node]]);
      });
      expect(unions({ nodes, frames: tree.frames })).toEqual(unions(tree));
    }));
  });

  test("taking kinds out of an answer is what folding without them gives", () => {
    fc.assert(fc.property(randomProfile, fc.subarray([...frameKindNames]), (profile, kinds) => {
      const hide = new Set(kinds);
      const tree = columns(profile);
      const viewed = viewStacks(profile, { ...wholeStacks, hide });
      expect(text(tree, withoutKinds(tree, hide))).toBe(columnsText(columns(viewed.profile)));
    }));
  });

  // What the store does (clickhouse/stack-view.ts is held to this): the view and what is outside it are the whole.
  const frames = (profile: StackProfile) => profile.frames.map((_, number) => number);
  test.each<[string, (profile: StackProfile) => StackView<number>[]]>([
    ["inverted", () => [{ ...wholeStacks, invert: true }]],
    ["layers folded", () => [{ ...wholeStacks, foldLayers: true }]],
    ["kinds hidden", () => frameKindNames.map((kind) => ({ ...wholeStacks, hide: new Set([kind]) }))],
    ["sandwiched", (profile) => frames(profile).flatMap((frame) => (["callers", "callees"] as const).map((side) => ({ ...wholeStacks, around: { frame, side } })))],
    ["sandwiched and inverted", (profile) => frames(profile).map((frame) => ({ ...wholeStacks, around: { frame, side: "callees" as const }, invert: true }))],
  ])("%s, and then collapsed and grouped", (_, views) => {
    fc.assert(fc.property(randomProfile, (profile) => {
      const whole = foldStacks(profile);
      for (const view of views(profile)) {
        const viewed = viewStacks(profile, view);
        const tree = columns(viewed.profile);
        expect([BigInt(tree.nodes.total[0]!) + viewed.outside.value, BigInt(tree.nodes.count[0]!) + viewed.outside.count]).toEqual([whole.total, whole.count]);
        soundAgainst(tree, transforms.both!(tree));
      }
    }), { numRuns: 30 });
  });
});
