// Random histories under random filters and time ranges: the flamegraph of the SQL is, node by node, the plain fold of the samples that the reference evaluator
// selects. Tenants use the same ids for different frames and stacks. LAMELLA_PROPERTY_RUNS=10000 is the long form, a quarter of an hour.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { flamegraphRows } from "#clickhouse/flamegraph.ts";
import { tenantScope } from "#clickhouse/scope.ts";
import { rollupFor, where } from "#clickhouse/where.ts";
import { predicate, type Subject } from "#core/filter/evaluate.ts";
import { print } from "#core/filter/printer.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { type FoldedRows, treeOfRows } from "#core/flamegraph/rows.ts";
import { type StackView, wholeStacks } from "#core/flamegraph/stack-view.ts";
import { frameIdentity, type StackProfile } from "#core/flamegraph/stacks.ts";
import { foldStacks, type TreeNode, walkTree } from "#core/flamegraph/tree.ts";
import { openEngine } from "#test/rig/engine.ts";
import { filterOver } from "#test/rig/filters.ts";
import { frame, storedSample, subjectOf, tags, texts } from "#test/rig/sample-rows.ts";
import { columnsText, treeText } from "#test/rig/stacks.ts";

const runs = Number(process.env.LAMELLA_PROPERTY_RUNS ?? 100);
const seed = Number(process.env.LAMELLA_PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const hourS = 3_600;
const nowS = Math.floor(Date.now() / 1000);
const midnightS = nowS - (nowS % 86_400) - 86_400; // yesterday's
const hours = 5;
const framesPerHistory = 30;
const stacksPerHistory = 25;
const samplesPerHistory = 80;

type Sample = { readonly subject: Subject; readonly atS: number; readonly stack: number; readonly value: bigint; readonly count: bigint };
type History = { readonly tenantId: string; readonly frames: StackProfile["frames"]; readonly stacks: readonly (readonly number[])[]; readonly samples: readonly Sample[] };

const engine = openEngine();
afterAll(() => engine.close());
const histories: History[] = [];

beforeAll(async () => {
  console.log(`property seed ${seed} (LAMELLA_PROPERTY_SEED), ${runs} filters (LAMELLA_PROPERTY_RUNS)`);
  for (let number = 0; number < 6; number++) histories.push(await stored(number));
});

async function stored(number: number): Promise<History> {
  const tenantId = String.fromCharCode(97 + number).repeat(16);
  const draw = <T>(one: fc.Arbitrary<T>, count: number, offset: number): T[] => fc.sample(one, { seed: seed + number * 1_000 + offset, numRuns: count });
  const noPlace = { file: "", line: 0, mapping: "", modelKey: "" };
  const drawn = Array.from({ length: framesPerHistory }, (_, at) => draw(frame(at), 1, at)[0]!).map((one) => ({ ...one, name: one.name || "nameless", ...noPlace })); // no upload has an empty name
  const frames = drawn.filter((one, at) => drawn.findIndex((other) => frameIdentity(other) === frameIdentity(one)) === at); // those that look the same are one frame
  const stacks = draw(fc.array(fc.nat(frames.length - 1), { maxLength: 7 }), stacksPerHistory, 100);
  const contexts = draw(fc.record({
    fields: texts, tags, stack: fc.nat(stacksPerHistory + 1), // some stacks are not stored
    afterS: fc.nat(hours * hourS - 1), value: fc.oneof(fc.bigInt(0n, 5n), fc.bigInt(0n, 10n ** 12n)), count: fc.bigInt(0n, 9n),
  }), samplesPerHistory, 101);
  const day = new Date(midnightS * 1000).toISOString().slice(0, 10);
  await engine.insertRows("frames", frames.map(({ id, kind, name, modulePath, moduleClass }) => ({ tenant_id: tenantId, frame_id: id, kind, name, module_path: modulePath, module_class: moduleClass, last_seen: day })));
  await engine.insertRows("stacks", stacks.map((all, stack) => ({ tenant_id: tenantId, stack_id: stack, frames: all.map((at) => frames[at]!.id), last_seen: day })));
  await engine.insertRows("samples", contexts.map(({ afterS, value, count, ...context }, at) => {
    const ts = midnightS + afterS;
    return { ...storedSample({ tenant: tenantId, number: at, ...context }), bucket: ts - (ts % hourS), ts, value, count };
  }));
  const samples = contexts.map(({ afterS, value, count, ...context }, at): Sample => ({
    subject: subjectOf({ tenant: tenantId, number: at, ...context }, (stacks[context.stack] ?? []).map((one) => frames[one]!)), atS: midnightS + afterS, stack: context.stack, value, count,
  }));
  return { tenantId, frames, stacks, samples };
}

test("the SQL is the fold of what the filter selects, and sums stay the same however it is looked at", async () => {
  const second = fc.oneof(fc.nat(hours * hourS), fc.nat(hours).map((hour) => hour * hourS));
  await fc.assert(fc.asyncProperty(fc.nat(5), filterOver(), second, second, fc.nat(3), async (number, filter, one, other, views) => {
    const history = histories[number]!;
    const [fromS, toS] = [midnightS + Math.min(one, other), midnightS + Math.max(one, other)];
    const selection = { scope: tenantScope(history.tenantId, 30), profileType: "cuda", executionId: "", fromS, toS, nowS, where: where(filter, "samples"), rollup: rollupFor(filter) } as const;
    const ask = async (view: Partial<StackView<string>>): Promise<FoldedRows> => {
      const { sql, params, row } = flamegraphRows(selection, { ...wholeStacks, ...view }, 65_536);
      return treeOfRows((await engine.query(sql, { ...params })).map((answer) => row.parse(answer)));
    };
    const matches = predicate(filter)!;
    const selected = history.samples.filter(({ subject, atS }) => atS >= fromS && atS < toS && matches(subject));
    const framesOf = ({ stack }: Sample) => history.stacks[stack] ?? [];
    const profile: StackProfile = { profileType: "cuda", frames: history.frames, stacks: selected.map((sample) => ({ frames: framesOf(sample), value: sample.value, count: sample.count })) };
    const total = selected.reduce((sum, { value }) => sum + value, 0n);
    const withoutLayer = selected.filter((sample) => framesOf(sample).every((at) => history.frames[at]!.kind !== "layer")).reduce((sum, { value }) => sum + value, 0n);

    const [shown, hidden] = [await ask({}), await ask({ hide: new Set(["layer"]) })];
    const what = `${print(filter)} from ${fromS} to ${toS}`;
    expect(columnsText(flamegraphColumns(shown, "cuda")), what).toBe(treeText(foldStacks(profile), profile.frames));
    expect(columnsText(flamegraphColumns(hidden, "cuda")), `${what}, layers hidden`).toBe(treeText(foldStacks(profile, new Set(["layer"])), profile.frames));
    const figures = (folded: FoldedRows) => ({ total: folded.tree.total, whole: folded.whole, samples: folded.samples, withoutLayer: folded.withoutLayer });
    const expected = { total, whole: total, samples: BigInt(selected.length), withoutLayer };
    for (const view of [shown, hidden]) expect(figures(view), what).toEqual(expected);
    expect(kernels(hidden), what).toEqual(kernels(shown));
    if (views > 0) return; // the other views of a quarter of them
    const [folded, inverted] = [await ask({ foldLayers: true }), await ask({ invert: true })];
    for (const view of [folded, inverted]) expect(figures(view), what).toEqual(expected);
    expect(kernels(folded), what).toEqual(kernels(shown));
    const heaviest = shown.tree.children[0];
    if (heaviest === undefined) return;
    const focused = await ask({ focus: [shown.ids[heaviest.frame]!] });
    expect(figures(focused), what).toMatchObject({ total: heaviest.total, whole: total, samples: expect.any(BigInt) as bigint });
    expect(selfs(focused.tree), what).toBe(heaviest.total);
  }), { numRuns: runs, seed });
}, 60_000 + runs * 1_000);

// Value inside each kernel, by its name; a kernel below itself adds nothing.
function kernels({ tree, frames }: FoldedRows): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  const visit = (node: TreeNode, around: readonly string[]): void => {
    const one = frames[node.frame];
    const name = one?.kind === "gpu_kernel" ? one.name : undefined;
    if (name !== undefined && !around.includes(name)) sums.set(name, (sums.get(name) ?? 0n) + node.total);
    for (const child of node.children) visit(child, name === undefined ? around : [...around, name]);
  };
  visit(tree, []);
  return new Map([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function selfs(tree: TreeNode): bigint {
  let sum = 0n;
  walkTree(tree, ({ self }) => (sum += self));
  return sum;
}
