// The SQL of clickhouse/flamegraph.ts and samples.ts on a real ClickHouse, against the plain fold of core/flamegraph/tree.ts.
// Every case is a tenant of its own, so all of them stand in the same tables and none may see another's rows.
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { flamegraphRows } from "#clickhouse/flamegraph.ts";
import { type SampleSelection, stackSums } from "#clickhouse/samples.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { rollupFor, where } from "#clickhouse/where.ts";
import { readFilter } from "#core/filter/check.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { type FoldedRows, treeOfRows } from "#core/flamegraph/rows.ts";
import { type StackView, mappedProfile, viewStacks, wholeStacks } from "#core/flamegraph/stack-view.ts";
import { type StackProfile, frameIdentity } from "#core/flamegraph/stacks.ts";
import { type TreeNode, foldStacks, otherFrame, pruneTree, walkTree } from "#core/flamegraph/tree.ts";
import { type FrameKindName, frameKindNames } from "#schema/frame-kinds.ts";
import { openEngine } from "#test/rig/engine.ts";
import { columnsText, drawProfile, randomLayers, randomProfile, treeText } from "#test/rig/stacks.ts";
import { type SampleRow, storeProfile, storedFrameId } from "#test/rig/store-profile.ts";

const engine = openEngine();
afterAll(() => engine.close());

const nowS = Math.floor(Date.now() / 1000);
const hourS = 3_600;
const midnightS = nowS - (nowS % 86_400) - 86_400; // yesterday's: inside every retention
const everything = { where: { sql: "1", params: {} }, rollup: "samples_1h_by_exe" } as const;
const day = (scope: TenantScope): SampleSelection => ({
  scope, profileType: "cuda", executionId: "", fromS: midnightS, toS: midnightS + 86_400, nowS, ...everything,
});

let tenants = 0;
function newTenant(retentionDays = 30): TenantScope {
  const id = (tenants++).toString(26).padStart(16, "0").replaceAll(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!);
  return tenantScope(id, retentionDays);
}

const store = (scope: TenantScope, profile: StackProfile, row: (stack: number) => SampleRow = () => ({ atS: midnightS }), copies = 1) => storeProfile(engine, scope, profile, row, copies);

const hiding = (hide: readonly FrameKindName[]): StackView<string> => ({ ...wholeStacks, hide: new Set(hide) });

async function ask(selection: SampleSelection, hide: readonly FrameKindName[] = [], nodesMax = 65_536): Promise<FoldedRows> {
  return await askView(selection, hiding(hide), nodesMax);
}

async function askView(selection: SampleSelection, view: StackView<string>, nodesMax = 65_536): Promise<FoldedRows> {
  const { sql, params, row } = flamegraphRows(selection, view, nodesMax);
  return treeOfRows((await engine.query(sql, { ...params })).map((one) => row.parse(one)));
}

const textOf = (folded: FoldedRows) => columnsText(flamegraphColumns(folded, "cuda"));
const oracle = (profile: StackProfile, hide: readonly FrameKindName[] = []) => treeText(foldStacks(profile, new Set(hide)), profile.frames);
const total = (profile: StackProfile) => profile.stacks.reduce((sum, { value }) => sum + value, 0n);

const drawn = drawProfile(`
  serve             serve             serve             load
  Block h.0:layer   Block h.1:layer   Block h.0:layer   5
  gemm:gpu_kernel   gemm:gpu_kernel   norm:gpu_kernel
  10/1              8/1               2/4
`);

describe("the answer is the fold", () => {
  test("of a drawn profile, with the share that has no layer and the samples behind it", async () => {
    const scope = newTenant();
    await store(scope, drawn);
    const folded = await ask(day(scope));
    expect(textOf(folded)).toBe(oracle(drawn));
    expect(folded).toMatchObject({ samples: 4n, withoutLayer: 5n, cutNodes: 0, cutTotal: 0n });
    const hidden = await ask(day(scope), ["layer"]);
    expect(textOf(hidden)).toBe(oracle(drawn, ["layer"]));
    expect(hidden.withoutLayer).toBe(5n);
  });

  test("of random stacks, shown and with every kind hidden in turn and several together", async () => {
    await fc.assert(fc.asyncProperty(randomProfile, fc.subarray(frameKindNames), async (profile, several) => {
      const scope = newTenant();
      await store(scope, profile, (stack) => ({ atS: midnightS + stack * 977, exe: `exe${stack % 3}` }));
      for (const hide of [[], ["layer"], several, ...frameKindNames.filter((kind) => profile.frames.some((frame) => frame.kind === kind)).map((kind) => [kind])]) {
        const folded = await ask(day(scope), hide as FrameKindName[]);
        expect(textOf(folded)).toBe(oracle(profile, hide as FrameKindName[]));
        const bare = profile.stacks.filter(({ frames }) => frames.every((frame) => profile.frames[frame]!.kind !== "layer"));
        expect([folded.samples, folded.withoutLayer]).toEqual([BigInt(profile.stacks.length), bare.reduce((sum, { value }) => sum + value, 0n)]);
      }
    }), { numRuns: 12 });
  });

  test("at every cut the total is the total, kept nodes are exact, and as heavy as the oracle's", async () => {
    await fc.assert(fc.asyncProperty(randomProfile, fc.nat(25), async (profile, nodesMax) => {
      const scope = newTenant();
      await store(scope, profile);
      const { tree, frames, cutNodes, cutTotal } = await ask(day(scope), [], nodesMax);
      expect([tree.total, leafSum(tree)]).toEqual([total(profile), total(profile)]);
      const pruned = pruneTree(foldStacks(profile), nodesMax);
      // Equally heavy nodes at the cut may be chosen differently, which moves value between "(other)" nodes: compare weights, and each kept node by its path.
      expect(cutNodes).toBe(pruned.cutNodes);
      expect(weights(tree)).toEqual(weights(pruned.tree));
      expect(cutTotal).toBeGreaterThanOrEqual(0n);
      const whole = figuresByPath(foldStacks(profile), profile);
      for (const [path, figures] of figuresByPath(tree, { ...profile, frames })) expect([path, figures]).toEqual([path, whole.get(path)]);
    }), { numRuns: 25 });
  });

  test("of nothing, when nothing was stored", async () => {
    expect(textOf(await ask(day(newTenant())))).toBe("all 0/0 ×0");
  });
});

describe("a view of the stacks", () => {
  test("copies of a layer become one frame that says of how many, and what differs stays apart", async () => {
    const scope = newTenant();
    await store(scope, drawProfile(`
      model:layer              model:layer              model:layer              model:layer            model:layer
      Block h.0@h.0:layer      Block h.1@h.1:layer      Block h.10@h.10:layer    Dense h.2@h.2:layer    Norm n@n:layer
      Attn a@h.0.a:layer       Attn a@h.1.a:layer       gemm:gpu_kernel          gemm:gpu_kernel        5
      gemm:gpu_kernel          gemm:gpu_kernel          4                        2
      10/1                     8/1
    `));
    const { tree, frames } = await askView(day(scope), { ...wholeStacks, foldLayers: true });
    expect(treeText(tree, frames)).toBe(`
all 29/0 ×13
  model 29/0 ×13
    Block h.* 22/0 ×6
      Attn a 18/0 ×2
        gemm 18/18 ×2
      gemm 4/4 ×4
    Norm n 5/5 ×5
    Dense h.* 2/0 ×2
      gemm 2/2 ×2`.trim());
    const block = tree.children[0]!.children[0]!;
    expect([block.copies, block.children[0]!.copies, block.children[0]!.children[0]!.copies, tree.children[0]!.copies]).toEqual([3, 2, 1, 1]);
    expect(frames[block.frame]).toMatchObject({ kind: "layer", name: "Block h.*", modulePath: "h.*" });
    expect(frames[block.children[0]!.frame]!.modulePath).toBe("h.*.a");
  });

  test("of random stacks: folded, hidden, around a frame on both sides, turned over and focused, together and alone", async () => {
    const view = fc.record({
      hide: fc.subarray(frameKindNames, { maxLength: 2 }), foldLayers: fc.boolean(), around: fc.option(fc.record({ at: fc.nat(), side: fc.constantFrom("callers" as const, "callees" as const) })),
      invert: fc.boolean(), focusOf: fc.nat(), focusDepth: fc.nat(3),
    });
    await fc.assert(fc.asyncProperty(randomLayers, fc.array(view, { minLength: 1, maxLength: 8 }), async (profile, views) => {
      const scope = newTenant();
      await store(scope, profile);
      const ids = async (foldLayers: boolean) => {
        const { frames, ids } = await askView(day(scope), { ...wholeStacks, foldLayers });
        return new Map(frames.map((frame, number) => [frameIdentity(frame), ids[number]!]));
      };
      for (const { hide, foldLayers, around, invert, focusOf, focusDepth } of views) {
        const base = mappedProfile(profile, { foldLayers, layersByPath: false });
        const stored = await ids(foldLayers);
        const idOf = (number: number) => stored.get(frameIdentity(base.frames[number]!)) ?? "0";
        const frame = around === null ? null : around.at % base.frames.length;
        const options = { hide: new Set(hide), foldLayers, layersByPath: false, invert, around: frame === null ? null : { frame, side: around!.side }, focus: [] as number[] };
        const unfocused = viewStacks(profile, options).profile.stacks;
        if (unfocused.length > 0) options.focus = unfocused[focusOf % unfocused.length]!.frames.slice(0, focusDepth);
        const expected = viewStacks(profile, options);
        const answer = await askView(day(scope), { ...options, around: frame === null ? null : { frame: idOf(frame), side: around!.side }, focus: options.focus.map(idOf) });
        expect(textOf(answer)).toBe(treeText(foldStacks(expected.profile), expected.profile.frames));
        expect([answer.whole, answer.whole - answer.tree.total]).toEqual([total(profile), expected.outside.value]);
        expect(answer.samples).toBe(BigInt(expected.profile.stacks.length));
      }
    }), { numRuns: 12 });
  });

  test("totals are the same however the stacks are looked at", async () => {
    await fc.assert(fc.asyncProperty(randomLayers, async (profile) => {
      const scope = newTenant();
      await store(scope, profile);
      const kernels = async (view: StackView<string>) => {
        const { tree, frames, samples, whole } = await askView(day(scope), view);
        let [self, ofKernels] = [0n, 0n];
        walkTree(tree, (node) => {
          self += node.self;
          if (node.frame >= 0 && frames[node.frame]!.kind === "gpu_kernel") ofKernels += node.self;
        });
        return { total: tree.total, whole, self, samples, ofKernels };
      };
      const plain = await kernels(wholeStacks);
      for (const foldLayers of [false, true]) {
        for (const hide of [[], ["layer"], ["python", "nvtx"]] as FrameKindName[][]) {
          const { ofKernels, ...sums } = await kernels({ ...wholeStacks, foldLayers, hide: new Set(hide) });
          expect(sums).toEqual({ total: plain.total, whole: plain.whole, self: plain.self, samples: plain.samples });
          if (hide.length === 0) expect(ofKernels).toBe(plain.ofKernels);
          expect((await kernels({ ...wholeStacks, foldLayers, hide: new Set(hide), invert: true })).total).toBe(plain.total);
        }
      }
    }), { numRuns: 6 });
  });

  test("frames of the answer carry the ids that ask for them", async () => {
    const scope = newTenant();
    await store(scope, drawn);
    const { frames, ids } = await ask(day(scope));
    expect(frames.map(({ name }, number) => [name, ids[number]])).toEqual(frames.map(({ name }) => [name, storedFrameId(drawn, drawn.frames.findIndex((frame) => frame.name === name)).toString()]));
  });
});

describe("each thing counts once", () => {
  test("a dictionary row stored three times over does not multiply", async () => {
    const scope = newTenant();
    for (const table of ["stacks", "frames"]) await engine.command(`SYSTEM STOP MERGES ${table}`);
    await store(scope, drawn, undefined, 3);
    const [{ rows }] = await engine.query<{ rows: string }>(`SELECT count() AS rows FROM stacks WHERE tenant_id = '${scope.tenantId}'`) as [{ rows: string }];
    expect(Number(rows)).toBe(3 * drawn.stacks.length);
    expect(textOf(await ask(day(scope)))).toBe(oracle(drawn));
    for (const table of ["stacks", "frames"]) await engine.command(`SYSTEM START MERGES ${table}`);
  });

  test("a stack that the dictionary does not have keeps its value, at the root", async () => {
    const scope = newTenant();
    await store(scope, { ...drawn, stacks: drawn.stacks.slice(0, 1) });
    const orphan = { profile_type: "cuda", retention_days: 30, bucket: midnightS, ts: midnightS, stack_id: 1, source: "live", value: 90, count: 3 };
    await engine.insertRows("samples", [{ tenant_id: scope.tenantId, ...orphan }]);
    expect(textOf(await ask(day(scope)))).toBe("all 100/90 ×4\n  serve 10/0 ×1\n    Block h.0 10/0 ×1\n      gemm 10/10 ×1");
  });

  test("another tenant with the same ids adds nothing", async () => {
    const [ours, theirs] = [newTenant(), newTenant()];
    await store(ours, drawn);
    const secret = { ...drawn, frames: drawn.frames.map((frame) => ({ ...frame, name: `secret ${frame.name}` })) };
    await store(theirs, secret);
    expect(textOf(await ask(day(ours)))).toBe(oracle(drawn));
    expect(textOf(await ask(day(theirs)))).toBe(oracle(secret));
  });

  test("every table in the statement carries its own tenant predicate", () => {
    for (const fromS of [midnightS, midnightS + 60]) {
      const { sql } = flamegraphRows({ ...day(newTenant()), fromS }, hiding(["layer"]), 10);
      const tables = sql.match(/FROM (samples\w*|stacks|frames)\b/g)!;
      expect(tables.length).toBeGreaterThanOrEqual(3);
      expect(sql.match(/FROM (samples\w*|stacks|frames)\s+WHERE tenant_id = \{tenant:String\} ?/g)).toHaveLength(tables.length);
    }
  });
});

describe("what is selected", () => {
  test("whole hours of a roll-up and raw edges are the raw rows", async () => {
    await fc.assert(fc.asyncProperty(randomProfile, fc.nat(6 * hourS), fc.nat(6 * hourS), fc.boolean(), async (profile, start, length, aligned) => {
      const scope = newTenant();
      const at = (stack: number) => midnightS + ((stack * 4_513) % (8 * hourS));
      await store(scope, profile, (stack) => ({ atS: at(stack), exe: `exe${stack % 2}` }));
      const whole = (seconds: number) => (aligned ? seconds - (seconds % hourS) : seconds);
      const [fromS, toS] = [midnightS + whole(start), midnightS + whole(start + length)];
      const inside = { ...profile, stacks: profile.stacks.filter((_stack, number) => at(number) >= fromS && at(number) < toS) };
      for (const rollup of ["samples_1h_by_exe", "samples_1h_by_deployment", null] as const) {
        const folded = await ask({ ...day(scope), fromS, toS, rollup });
        expect([rollup, textOf(folded), folded.samples]).toEqual([rollup, oracle(inside), BigInt(inside.stacks.length)]);
      }
    }), { numRuns: 12 });
  });

  test("a filter selects its rows, from whichever table can answer it", async () => {
    const scope = newTenant();
    await store(scope, drawn, (stack) => ({
      atS: midnightS + stack * hourS, exe: stack < 2 ? "vllm" : "python", namespace: stack === 0 ? "prod" : "dev", pod: `pod-${stack}`,
    }));
    const only = (...stacks: number[]) => oracle({ ...drawn, stacks: drawn.stacks.filter((_stack, number) => stacks.includes(number)) });
    for (const [text, rollup, stacks] of [
      ['process.executable.name == "vllm"', "samples_1h_by_exe", [0, 1]],
      ['k8s.namespace.name == "dev" && process.executable.name != "vllm"', "samples_1h_by_deployment", [2, 3]],
      ['k8s.pod.name == "pod-3" || k8s.namespace.name == "prod"', null, [0, 3]],
      ['kernel.name == "norm"', "samples_1h_by_exe", [2]],
      ['profile.frame.type == "layer"', "samples_1h_by_exe", [0, 1, 2]],
    ] as const) {
      const read = readFilter(text, "flamegraph");
      if (!read.ok) throw new Error(read.error.map(({ message }) => message).join());
      const filter = read.value;
      expect([text, rollupFor(filter)]).toEqual([text, rollup]);
      const folded = await ask({ ...day(scope), where: where(filter, "samples"), rollup });
      expect([text, textOf(folded)]).toEqual([text, only(...stacks)]);
    }
  });

  test("live leaves executions out; an execution is selected by its id, whatever the time range", async () => {
    const scope = newTenant();
    const id = "e".repeat(64);
    await store(scope, drawn, (stack) => ({ atS: midnightS, executionId: stack < 2 ? id : "" }));
    expect(textOf(await ask(day(scope)))).toBe(oracle({ ...drawn, stacks: drawn.stacks.slice(2) }));
    expect(textOf(await ask({ ...day(scope), executionId: id, fromS: nowS, toS: nowS }))).toBe(oracle({ ...drawn, stacks: drawn.stacks.slice(0, 2) }));
  });

  test("another profile type is another flamegraph", async () => {
    const scope = newTenant();
    await store(scope, drawn);
    expect(textOf(await ask({ ...day(scope), profileType: "cpu" }))).toBe("all 0/0 ×0");
  });

  test("nothing older than the tenant's retention is read, live or not", async () => {
    const scope = newTenant(7);
    const id = "d".repeat(64);
    const old = nowS - 8 * 86_400;
    // Written while the tenant's plan was longer, so the store still keeps them.
    await store({ ...scope, retentionDays: 90 }, drawn, (stack) => ({ atS: stack % 2 === 0 ? old : midnightS, executionId: stack < 2 ? "" : id }));
    const wide = { ...day(scope), fromS: nowS - 30 * 86_400, toS: nowS };
    for (const rollup of ["samples_1h_by_exe", null] as const) {
      expect(textOf(await ask({ ...wide, rollup }))).toBe(oracle({ ...drawn, stacks: [drawn.stacks[1]!] }));
    }
    expect(textOf(await ask({ ...wide, executionId: id }))).toBe(oracle({ ...drawn, stacks: [drawn.stacks[3]!] }));
  });
});

describe("what is read", () => {
  // 24 hours × 40,000 rows = 5 granules an hour.
  async function granules(selection: SampleSelection): Promise<{ table: string; read: number; of: number }[]> {
    const { sql, params } = stackSums(selection);
    const lines = (await engine.query<{ explain: string }>(`EXPLAIN indexes = 1 ${sql}`, { ...params })).map(({ explain }) => explain);
    const reads: { table: string; read: number; of: number }[] = [];
    for (const line of lines) {
      const table = /ReadFromMergeTree \(\w+\.(\w+)\)/.exec(line)?.[1];
      if (table !== undefined) reads.push({ table, read: 0, of: 0 });
      const [, read, of] = /Granules: (\d+)\/(\d+)/.exec(line) ?? [];
      const last = reads.at(-1);
      if (of !== undefined && last) [last.read, last.of] = [Number(read), Math.max(last.of, Number(of))];
    }
    return reads;
  }

  test("an hour of raw rows reads that hour's granules; edges beside a roll-up read two hours", async () => {
    const scope = newTenant();
    await engine.command(`INSERT INTO samples (tenant_id, profile_type, retention_days, bucket, ts, exe_name, stack_id, source, value, count)
      SELECT '${scope.tenantId}', 'cuda', 30, ${midnightS} + intDiv(number, 40000) * 3600 AS hour, hour + number % 3600, 'vllm', number % 500, 'live', 1, 1
      FROM numbers(960000)`);
    await engine.command("OPTIMIZE TABLE samples FINAL");
    const [hour] = await granules({ ...day(scope), fromS: midnightS + 5 * hourS + 60, toS: midnightS + 5 * hourS + 600, rollup: null });
    expect(hour!.of).toBeGreaterThan(100);
    expect(hour!.read).toBeLessThanOrEqual(7);
    const mixed = await granules({ ...day(scope), fromS: midnightS + 60, toS: midnightS + 20 * hourS + 60 });
    expect(mixed.map(({ table }) => table)).toEqual(["samples", "samples_1h_by_exe"]);
    expect(mixed[0]!.read).toBeLessThanOrEqual(14);
    expect((await granules(day(scope))).map(({ table }) => table)).toEqual(["samples_1h_by_exe"]);
  });
});

function leafSum(tree: TreeNode): bigint {
  let sum = 0n;
  walkTree(tree, ({ self }) => void (sum += self));
  return sum;
}

function weights(tree: TreeNode): string[] {
  const all: bigint[] = [];
  walkTree(tree, ({ frame, total }) => void (frame !== otherFrame && all.push(total)));
  return all.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)).map(String);
}

function figuresByPath(tree: TreeNode, { frames }: Pick<StackProfile, "frames">): Map<string, string> {
  const figures = new Map<string, string>();
  const visit = (node: TreeNode, path: string) => {
    if (node.frame === otherFrame) return;
    figures.set(path, `${node.total}/${node.self} ×${node.count}/${node.selfCount}`);
    for (const child of node.children) visit(child, `${path}/${child.frame < 0 ? child.frame : JSON.stringify(frames[child.frame])}`);
  };
  visit(tree, "");
  return figures;
}
