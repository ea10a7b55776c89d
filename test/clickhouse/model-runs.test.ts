// Pipeline stages and what is made of them, run by run, on a real ClickHouse. A stage "a0" is rank 0 of the structure a, "b0" of what came after it.
import { afterAll, describe, expect, test } from "vitest";
import { layoutsSeen, namesOfShape, shapeParts } from "#clickhouse/shapes.ts";
import type { TenantScope } from "#clickhouse/scope.ts";
import { singleRank } from "#core/shape/layout.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { partRow } from "#workers/ingest/rows-models.ts";
import { dayS, key, noonS, openModelRows, type Seen } from "./model-rows.ts";

const { engine, newTenant, see, storeShape, list } = openModelRows();
afterAll(() => engine.close());

describe("pipeline stages by run", () => {
  const hash = (text: string) => text.repeat(32);
  const run = (letter: string) => letter.repeat(32);
  const piped = { ...singleRank(), ppSize: 2 };
  const pictures: Record<string, string> = { a0: "Net\n  a L w:float32[1]", a1: "Net\n  b L w:float32[2]", b0: "Net\n  a L w:float32[4]", b1: "Net\n  b L w:float32[8]" };
  const store = async (scope: TenantScope, name: string, atS: number, runId?: string, layout: ShapeLayout = piped) => {
    const part = { agentVersion: "1", modelKey: key("a"), ppRank: Number(name[1]), ppSize: 2, partHash: hash(name), runId, body: drawShape(pictures[name]!), layout };
    await insertBlock(engine, "shape_parts", partRow(scope, part, atS));
  };
  const whole = (scope: TenantScope, names: [string, string], atS: number, runId?: string) =>
    storeShape(scope, key("a"), `Net\n${names.map((name) => pictures[name]!.split("\n")[1]).join("\n")}`, piped, atS, names.map(hash), runId);
  const ran = (name: string, runId: string, process: number, toS = noonS): Seen => ({ partHash: hash(name), runId, process, pp: [Number(name[1]), 2], from: toS - 10, to: toS });
  const stagesOf = async (scope: TenantScope, deployment?: string) => (await ask(engine, scope, shapeParts(key("a"), deployment))).map((part) => part.part_hash.slice(0, 2)).sort();

  test("each run has its own, the newest of each rank, merged by the engine or not", async () => {
    const scope = newTenant();
    await store(scope, "a0", noonS, run("1"));
    await store(scope, "a1", noonS, run("1"));
    await store(scope, "b0", noonS + 60, run("2"));
    expect([await stagesOf(scope, run("1")), await stagesOf(scope, run("2"))]).toEqual([["a0", "a1"], ["b0"]]);
    await engine.command("OPTIMIZE TABLE shape_parts FINAL");
    expect([await stagesOf(scope, run("1")), await stagesOf(scope, run("2"))]).toEqual([["a0", "a1"], ["b0"]]);
    await store(scope, "b1", noonS + 70, run("1")); // a rank that changed while its run went on
    await store(scope, "a1", noonS, run("1")); // sent again, and brought late
    expect(await stagesOf(scope, run("1"))).toEqual(["a0", "b1"]);
    await engine.command("OPTIMIZE TABLE shape_parts FINAL");
    expect(await stagesOf(scope, run("1"))).toEqual(["a0", "b1"]);
  });

  test("a run is one whatever sizes its stages know; without a run the sizes tell deployments apart", async () => {
    const scope = newTenant();
    await store(scope, "a0", noonS, run("1"));
    await store(scope, "a1", noonS, run("1"), { ...piped, epSize: 8 }); // only stages with experts know of their ranks
    await store(scope, "b0", noonS);
    await store(scope, "b1", noonS + 1, undefined, { ...piped, tpSize: 4 });
    expect(await stagesOf(scope, run("1"))).toEqual(["a0", "a1"]);
    expect(await stagesOf(scope, "1.2.1.1")).toEqual(["b0"]);
    expect(await stagesOf(scope)).toEqual(["b1"]); // of those without a run, seen last
    expect(await stagesOf(newTenant(), run("1"))).toEqual([]);
  });

  test("without a run a changed stage stands beside its old neighbour until that changes too", async () => {
    const scope = newTenant();
    for (const [i, name] of ["a0", "a1", "b0"].entries()) await store(scope, name, noonS + i);
    expect(await stagesOf(scope, "1.2.1.1")).toEqual(["a1", "b0"]);
    await store(scope, "b1", noonS + 3);
    expect(await stagesOf(scope, "1.2.1.1")).toEqual(["b0", "b1"]);
  });

  test("stages of a run that are missing are named, whatever other runs have stored", async () => {
    const scope = newTenant();
    for (const name of ["a0", "a1"]) await store(scope, name, noonS, run("1"));
    const old = await whole(scope, ["a0", "a1"], noonS, run("1"));
    await see(scope, ran("a0", run("1"), 1), ran("a1", run("1"), 2));
    await store(scope, "b0", noonS + 60, run("2"));
    await see(scope, ran("b0", run("2"), 3, noonS + 60));
    expect(await list(scope)).toMatchObject([{ id: key("a"), shape_id: "", processes: 1, pp_size: 2, run_id: run("2"), stages: [0] }, { id: old, processes: 2 }]);
    // Asked for by the key, it is that row and not another of the same key, whichever was seen last.
    await see(scope, ran("a0", run("1"), 1, noonS + 90));
    expect((await list(scope, { limit: 1 })).map(({ id }) => id)).toEqual([old]);
    expect(await list(scope, { id: key("a"), limit: 1 })).toMatchObject([{ id: key("a"), stages: [0] }]);
    expect(await list(scope, { id: old, limit: 1 })).toMatchObject([{ id: old }]);
    // A third run of which only the other stage is there: the two are not taken together.
    await store(scope, "b1", noonS + 120, run("3"));
    await see(scope, ran("b1", run("3"), 4, noonS + 120));
    expect((await list(scope))[0]).toMatchObject({ id: key("a"), processes: 2, run_id: run("3"), stages: [1] });
  });

  test("a stage that did not change over a restart is of both wholes, each time of its own run's", async () => {
    const scope = newTenant();
    const old = await whole(scope, ["a0", "a1"], noonS, run("1"));
    await see(scope, ran("a0", run("1"), 1), ran("a1", run("1"), 2), ran("a1", run("2"), 4, noonS + 60));
    expect(await list(scope)).toMatchObject([{ id: key("a"), processes: 1 }, { id: old, processes: 2 }]); // its new neighbour is not there yet
    const young = await whole(scope, ["b0", "a1"], noonS + 70, run("2"));
    await see(scope, ran("b0", run("2"), 3, noonS + 70));
    expect(await list(scope)).toMatchObject([{ id: young, processes: 2, last_s: noonS + 70 }, { id: old, processes: 2, last_s: noonS }]);
    expect(await ask(engine, scope, layoutsSeen(old, noonS - dayS, noonS + dayS))).toMatchObject([{ last_s: noonS }]);
    expect(await ask(engine, scope, layoutsSeen(young, noonS - dayS, noonS + dayS))).toMatchObject([{ last_s: noonS + 70 }]);
    // The same structure once more, in a third run: one row of it.
    await whole(scope, ["b0", "a1"], noonS + 100, run("3"));
    await see(scope, ran("b0", run("3"), 5, noonS + 100), ran("a1", run("3"), 6, noonS + 100));
    expect(await list(scope)).toMatchObject([{ id: young, processes: 4 }, { id: old, processes: 2 }]);
  });

  test.each([["of a run", run("1")], ["without one", ""]])("what was merged while stages %s changed one after the other is shown for so long, and no longer", async (_, runId) => {
    const scope = newTenant();
    const old = await whole(scope, ["a0", "a1"], noonS, runId);
    await see(scope, ran("a0", runId, 1), ran("a1", runId, 2));
    const between = await whole(scope, ["b0", "a1"], noonS + 600, runId);
    await see(scope, ran("b0", runId, 1, noonS + 600));
    expect((await list(scope)).map(({ id, processes }) => [id, processes])).toEqual([[between, 2], [old, 1]]);
    const young = await whole(scope, ["b0", "b1"], noonS + 630, runId);
    await see(scope, ran("b1", runId, 2, noonS + 630));
    expect((await list(scope)).map(({ id, processes }) => [id, processes])).toEqual([[young, 2], [old, 2]]);
    await engine.command("OPTIMIZE TABLE model_shapes FINAL");
    expect((await list(scope)).map(({ id, processes }) => [id, processes])).toEqual([[young, 2], [old, 2]]);
  });

  test("of two wholes with the same newest part the one is shown whose other part is newer", async () => {
    const scope = newTenant();
    // b0 came late: a0 stood in for it, beside a b1 that was received before either was merged.
    await storeShape(scope, key("a"), "Net\n  mixed L w:float32[3]", piped, noonS, ["a0", "b1"].map(hash), run("1"), 2 * noonS - 600);
    const young = await storeShape(scope, key("a"), "Net\n  young L w:float32[5]", piped, noonS, ["b0", "b1"].map(hash), run("1"), 2 * noonS - 30);
    await see(scope, ran("b0", run("1"), 1), ran("b1", run("1"), 2));
    expect(await list(scope)).toMatchObject([{ id: young, processes: 2, parameters: 5 }]);
  });

  test("the run of a model in one piece says nothing", async () => {
    const scope = newTenant();
    const shapeId = await storeShape(scope, key("a"), "Net\n  fc Linear weight:float32[3,4]");
    await see(scope, { partHash: shapeId, runId: run("1"), process: 1 }, { partHash: shapeId, runId: run("2"), process: 2 });
    expect(await list(scope)).toMatchObject([{ id: shapeId, processes: 2, run_id: "" }]);
    expect(await ask(engine, scope, namesOfShape(shapeId))).toHaveLength(1);
  });
});
