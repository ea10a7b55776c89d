// The Models page's query on a real ClickHouse. Sightings go in as uploads make them; every case is a tenant of its own.
import { afterAll, describe, expect, test } from "vitest";
import type { ModelsRow } from "#clickhouse/models.ts";
import { layoutsSeen, namesOfShape, shapeById, shapeLayouts, shapeParts } from "#clickhouse/shapes.ts";
import { where } from "#clickhouse/where.ts";
import { readFilter } from "#core/filter/check.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import { layoutId, singleRank } from "#core/shape/layout.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { type ModelColumn, modelColumns } from "#schema/api/models.ts";
import { Source } from "#schema/gen/lamella/v1/samples_pb.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { partRow } from "#workers/ingest/rows-models.ts";
import { dayS, key, noonS, openModelRows } from "./model-rows.ts";

const { engine, newTenant, see, storeShape, list } = openModelRows();
afterAll(() => engine.close());

const filtered = (text: string) => {
  const filter = readFilter(text, "models");
  if (!filter.ok) throw new Error(filter.error[0]!.message);
  return where(filter.value, "sightings");
};

describe("one model, many processes", () => {
  test("four TP ranks on two hosts are one row: TP 4, two hosts, four processes", async () => {
    const scope = newTenant();
    for (let rank = 0; rank < 4; rank++) {
      await see(scope, { tp: [rank, 4], host: `node-${1 + (rank >> 1)}`, process: 100 + rank, from: noonS - 600 - rank, to: noonS + rank, servedName: "qwen3-prod", nameOrPath: "Qwen/Qwen3-32B", architecture: "Qwen3ForCausalLM" });
    }
    expect(await list(scope)).toEqual([{
      id: key("a"), shape_id: "", model_keys: [key("a")], served_name: "qwen3-prod", name_or_path: "Qwen/Qwen3-32B", architecture: "Qwen3ForCausalLM", root_class: "",
      parameters: 0, modules: 0, weight_bytes: 0, hosts: 2, machines: 2, processes: 4, layouts: [[4, 1]], pp_size: 1, run_id: "", stages: [], first_s: noonS - 603, last_s: noonS + 3, sources: ["live"],
      sort_key: String(noonS + 3),
    }]);
  });

  test("the same process reporting again and again is one process, merged or not", async () => {
    const scope = newTenant();
    for (let minute = 0; minute < 5; minute++) await see(scope, { from: noonS - 600, to: noonS + 60 * minute, process: 7 });
    await see(scope, { from: noonS - 600, to: noonS + dayS / 2 + 60, process: 7 }); // and past midnight
    const before = await list(scope);
    expect(before).toMatchObject([{ processes: 1, hosts: 1, first_s: noonS - 600, last_s: noonS + dayS / 2 + 60 }]);
    await engine.command("OPTIMIZE TABLE sightings FINAL");
    expect(await list(scope)).toEqual(before);
  });

  test("two layouts are both listed, largest first; nothing split is no layout", async () => {
    const scope = newTenant();
    await see(scope, { tp: [0, 4], process: 1 }, { tp: [1, 4], process: 2 }, { tp: [0, 16], process: 3 }, { tp: [0, 1], process: 4 }, { tp: [0, 4], pp: [1, 2], process: 5 });
    expect((await list(scope))[0]!.layouts).toEqual([[16, 1], [4, 2], [4, 1]]);
    const whole = newTenant();
    await see(whole, { tp: [0, 0], pp: [0, 0] });
    expect((await list(whole))[0]).toMatchObject({ layouts: [], pp_size: 1 });
  });

  test("the newest name wins, of one process too", async () => {
    const scope = newTenant();
    await see(scope, { servedName: "", nameOrPath: "/models/a", process: 1, to: noonS }, { servedName: "served", nameOrPath: "Qwen/a", process: 1, to: noonS + 60 }, { servedName: "older", process: 2, to: noonS - 5 });
    expect((await list(scope))[0]).toMatchObject({ served_name: "served", name_or_path: "Qwen/a", processes: 2 });
  });

  test("every source is named", async () => {
    const scope = newTenant();
    await see(scope, { source: Source.WALK, process: 1 }, { source: Source.LIVE, process: 2 }, { source: Source.IMPORT, process: 3 });
    expect((await list(scope))[0]!.sources).toEqual(["import", "live", "walk"]);
  });
});

describe("shapes", () => {
  test("two keys of one shape are one row with its totals", async () => {
    const scope = newTenant();
    const picture = "Net\n  fc Linear weight:float32[3,4] bias:float32[3]\n  out Linear weight:float32[2,3]";
    const shapeId = await storeShape(scope, key("a"), picture);
    expect(shapeId).toBe(canonicalShape(drawShape(picture)).shapeId);
    await storeShape(scope, key("b"), picture);
    await storeShape(scope, key("b"), picture); // a second copy, not merged yet
    await see(scope, { modelKey: key("a"), process: 1 }, { modelKey: key("b"), process: 2, tp: [0, 2] });
    const [row, ...more] = await list(scope);
    expect(more).toEqual([]);
    expect(row).toMatchObject({ id: shapeId, shape_id: shapeId, parameters: 21, modules: 3, weight_bytes: 84, processes: 2, layouts: [[2, 1]] });
    expect([...row!.model_keys].sort()).toEqual([key("a"), key("b")]);
    expect(await list(scope, { id: shapeId })).toHaveLength(1);
    expect(await list(scope, { id: key("b") })).toHaveLength(1);
    expect(await list(scope, { id: key("c") })).toEqual([]);
    expect(await ask(engine, scope, shapeById(shapeId))).toMatchObject([{ shape_id: shapeId, parameters: 21, modules: 3 }]);
    expect(await ask(engine, newTenant(), shapeById(shapeId))).toEqual([]);
  });

  test("restarts and replicas are one row; a changed structure under the same key is another, and both stay", async () => {
    const scope = newTenant();
    const [before, after] = ["Net\n  fc Linear weight:float32[3,4]", "Net\n  fc Linear weight:float32[3,4]\n  more Linear weight:float32[2,2]"];
    const old = await storeShape(scope, key("a"), before, singleRank(), noonS - 600);
    const young = await storeShape(scope, key("a"), after, singleRank(), noonS);
    await see(scope, { partHash: old, process: 1, to: noonS - 600 }, { partHash: old, process: 2, to: noonS - 500 }, { partHash: young, process: 3, to: noonS }, { partHash: "", process: 4, to: noonS - 400 });
    expect(await list(scope)).toMatchObject([
      { id: young, parameters: 16, processes: 2, last_s: noonS }, // and the one that does not say what it ran
      { id: old, parameters: 12, processes: 2, last_s: noonS - 500 },
    ]);
    expect(await list(scope, { id: old })).toMatchObject([{ id: old, parameters: 12 }]);
    expect(await ask(engine, scope, layoutsSeen(old, noonS - dayS, noonS + dayS))).toMatchObject([{ last_s: noonS - 400 }]);
    const unsaid = newTenant();
    await see(unsaid, { partHash: "ef".repeat(32) });
    expect(await list(unsaid)).toMatchObject([{ id: key("a"), shape_id: "" }]);
  });

  test("a pipeline stage says its part, and the row is the whole model's", async () => {
    const scope = newTenant();
    const stage = (letters: string) => letters.repeat(32);
    const whole = await storeShape(scope, key("a"), "Net\n  fc Linear weight:float32[3,4]", singleRank(), noonS - 600, [stage("ab"), stage("cd")]);
    await see(scope, { partHash: stage("ab"), pp: [0, 2], process: 1, to: noonS - 600 }, { partHash: stage("cd"), pp: [1, 2], process: 2, to: noonS - 600 });
    expect(await list(scope)).toMatchObject([{ id: whole, processes: 2, layouts: [[1, 2]] }]);
    const changed = await storeShape(scope, key("a"), "Net\n  fc Linear weight:float32[9,4]", singleRank(), noonS, [stage("ef"), stage("a1")]);
    await see(scope, { partHash: stage("ef"), pp: [0, 2], process: 3 }, { partHash: stage("a1"), pp: [1, 2], process: 4 });
    expect(await list(scope)).toMatchObject([{ id: changed, parameters: 36, processes: 2 }, { id: whole, parameters: 12, processes: 2 }]);
  });

  test("pipeline stages: those stored are listed, the newest copy of each is read", async () => {
    const scope = newTenant();
    const layout = { tpSize: 1, ppSize: 3, epSize: 1, dpSize: 1, sharded: [], padded: [], replicated: [], aliases: [] };
    for (const [ppRank, storedAt, picture] of [[0, noonS, "Net old"], [0, noonS + 1, "Net"], [2, noonS, "Net\n  b Linear"]] as const) {
      await insertBlock(engine, "shape_parts", partRow(scope, { agentVersion: "1", modelKey: key("a"), ppRank, ppSize: 3, partHash: "ab".repeat(32), body: drawShape(picture.replace(" old", " w:float32[1]")), layout }, storedAt));
    }
    await see(scope, { pp: [0, 3], process: 1 }, { pp: [2, 3], process: 2 });
    expect(await list(scope)).toMatchObject([{ id: key("a"), shape_id: "", pp_size: 3, stages: [0, 2], layouts: [[1, 3]] }]);
    const parts = await ask(engine, scope, shapeParts(key("a")));
    expect(parts.map((part) => [part.pp_rank, part.pp_size, JSON.parse(part.body)]).sort()).toEqual([[0, 3, drawShape("Net")], [2, 3, drawShape("Net\n  b Linear")]]);
  });
});

test("filters choose sightings by any field of the page", async () => {
  const scope = newTenant();
  await see(
    scope, { modelKey: key("a"), host: "node-1", jobTag: "nightly", userTags: ["env:prod", "team:a"], process: 1 }, { modelKey: key("a"), host: "node-2", jobTag: "nightly", process: 2 },
    { modelKey: key("b"), host: "node-2", userTags: ["env:dev"], process: 3 },
  );
  const models = async (text: string) => (await list(scope, { where: filtered(text) })).map((row) => `${row.id[0]} ${row.processes}`).sort();
  expect(await models("")).toEqual(["a 2", "b 1"]);
  expect(await models('host.name == "node-2"')).toEqual(["a 1", "b 1"]);
  expect(await models('job.tag == "nightly" && host.name != "node-1"')).toEqual(["a 1"]);
  expect(await models('user.tag == "env:prod" || host.name == "node-9"')).toEqual(["a 1"]);
  expect(await models('job.tag == "none"')).toEqual([]);
});

test("a sighting is in a range when the two overlap: last seen at or after its start, first seen before its end", async () => {
  const scope = newTenant();
  const midnightS = noonS + dayS / 2;
  await see(scope, { from: noonS - 100, to: noonS + 100 }, { modelKey: key("b"), from: midnightS - 100, to: midnightS + 100 });
  const between = async (fromS: number, toS: number) => (await list(scope, { fromS, toS })).map(({ id }) => id[0]);
  expect(await between(noonS - 200, noonS - 100)).toEqual([]);
  expect(await between(noonS - 200, noonS - 99)).toEqual(["a"]);
  expect(await between(noonS - 50, noonS + 50)).toEqual(["a"]);
  expect(await between(noonS + 100, noonS + 200)).toEqual(["a"]);
  expect(await between(noonS + 101, noonS + 200)).toEqual([]);
  // Seen before midnight and reported after it: part of the day before all the same.
  expect(await between(midnightS - 200, midnightS - 50)).toEqual(["b"]);
  expect(await between(midnightS - 200, midnightS - 100)).toEqual([]);
  expect(await between(midnightS + 100, midnightS + 200)).toEqual(["b"]);
  expect(await between(noonS - dayS, midnightS + dayS)).toEqual(["b", "a"]);
});

test("pages walk all rows once, in order, ties included", async () => {
  const scope = newTenant();
  const keys = Array.from({ length: 23 }, (_, i) => (i * 7919).toString(16).padStart(32, "0"));
  for (const [i, modelKey] of keys.entries()) await see(scope, { modelKey, to: noonS + Math.floor(i / 4), process: i });
  const walked: ModelsRow[] = [];
  for (;;) {
    const last = walked.at(-1);
    const page = await list(scope, { limit: 5, ...(last && { after: { key: last.sort_key, id: last.id } }) });
    walked.push(...page);
    if (page.length < 5) break;
  }
  const expected = keys.map((id, i) => ({ id, lastS: noonS + Math.floor(i / 4) })).sort((one, other) => other.lastS - one.lastS || (one.id < other.id ? -1 : 1));
  expect(walked.map(({ id, last_s }) => ({ id, lastS: last_s }))).toEqual(expected);
});

describe("sorting", () => {
  // Six models that differ in every column, with ties in most; one without a shape.
  const scope = newTenant();
  const expected: Record<ModelColumn, (number | string | null)[]> = {
    name: ["alpha", "Beta", "gamma", "Beta", "unnamed", "delta"], parameters: [12, 6, 40, 6, null, 100], modules: [2, 2, 1, 2, null, 3], weightBytes: [24, 24, 160, 12, null, 100], hosts: [1, 2, 1, 3, 1, 1], machines: [1, 2, 1, 3, 1, 1],
    processes: [1, 2, 1, 3, 1, 2], parallelism: [1, 2, 1, 8, 1, 4], firstSeen: [-3_600, -7_200, -3_600, -60, -3_600, -3_600], lastSeen: [0, 10, 10, 20, 0, -30],
  };
  const ids: string[] = [];
  const fill = (async () => {
    const pictures = ["A\n  a L w:float16[12]", "B\n  b L w:float32[6]", "C w:float32[40]", "D\n  d L w:float16[6]", null, "F\n  f L w:uint8[50]\n  g L w:uint8[50]"];
    for (const [i, picture] of pictures.entries()) {
      const modelKey = String(i).repeat(32);
      ids.push(picture === null ? modelKey : await storeShape(scope, modelKey, picture));
      const [hosts, processes, ranks] = [expected.hosts[i] as number, expected.processes[i] as number, expected.parallelism[i] as number];
      const names = i === 4 ? {} : i === 2 ? { architecture: "gamma" } : { servedName: expected.name[i] as string };
      for (let process = 0; process < processes; process++) {
        await see(scope, { modelKey, ...names, host: `node-${Math.min(process, hosts - 1)}`, process: 10 * i + process, tp: [0, ranks > 4 ? 4 : ranks], pp: [0, ranks > 4 ? 2 : 1], from: noonS + (expected.firstSeen[i] as number), to: noonS + (expected.lastSeen[i] as number) });
      }
    }
  })();

  const cases = modelColumns.flatMap((column) => [false, true].map((descending) => ({ column, descending, name: `${descending ? "-" : ""}${column}` })));
  test.each(cases)("$name: every row once, in order, page by page", async ({ column, descending }) => {
    await fill;
    const walked: ModelsRow[] = [];
    for (let pages = 0; pages < 4; pages++) {
      const last = walked.at(-1);
      walked.push(...(await list(scope, { sort: { column, descending }, limit: 2, ...(last && { after: { key: last.sort_key, id: last.id } }) })));
    }
    const key = (i: number) => (typeof expected[column][i] === "string" ? expected[column][i].toLowerCase() : expected[column][i]!);
    const order = ids.map((_, i) => i).sort((a, b) => {
      if (expected[column][a] === null || expected[column][b] === null) return expected[column][a] === expected[column][b] ? 0 : expected[column][a] === null ? 1 : -1;
      return key(a) === key(b) ? (ids[a]! < ids[b]! ? -1 : 1) : (key(a) < key(b) ? -1 : 1) * (descending ? -1 : 1);
    });
    expect(walked.map(({ id }) => ids.indexOf(id))).toEqual(order);
  });
});

describe("what a shape is held and called like", () => {
  const picture = "Net\n  fc Linear weight:float32[3,4]";
  const four: ShapeLayout = { ...singleRank(), tpSize: 4, sharded: [{ path: "fc.weight", dim: 0 }] };

  test("every layout once, the one stored last first, with the keys that have it", async () => {
    const [scope, other] = [newTenant(), newTenant()];
    const shapeId = await storeShape(scope, key("a"), picture);
    await storeShape(scope, key("b"), picture, four, noonS + 10);
    await storeShape(scope, key("a"), picture, four, noonS + 5);
    await storeShape(scope, key("a"), picture, four, noonS + 20); // sent again
    await storeShape(scope, key("a"), "Other", four, noonS + 30); // another shape of the same key
    const found = await ask(engine, scope, shapeLayouts(shapeId, { newest: 10 }));
    expect(found).toEqual([
      { layout_id: layoutId(four), layout: JSON.stringify(four), model_keys: [key("a"), key("b")], stored_at_s: noonS + 20, total: 2 }, { layout_id: layoutId(singleRank()), layout: JSON.stringify(singleRank()), model_keys: [key("a")], stored_at_s: noonS, total: 2 },
    ]);
    expect(await ask(engine, scope, shapeLayouts(shapeId, { id: layoutId(four) }))).toEqual([found[0]]);
    expect(await ask(engine, scope, shapeLayouts(shapeId, { newest: 1 }))).toEqual([found[0]]);
    expect(await ask(engine, scope, shapeLayouts(shapeId, { id: "f".repeat(64) }))).toEqual([]);
    expect(await ask(engine, other, shapeLayouts(shapeId, { newest: 10 }))).toEqual([]);
  });

  test("when each key and sizes were last seen in the range", async () => {
    const scope = newTenant();
    const shapeId = await storeShape(scope, key("a"), picture);
    await storeShape(scope, key("b"), picture, four);
    await see(scope, { tp: [0, 4], to: noonS, process: 1 }, { tp: [1, 4], to: noonS + 7, process: 2 }, { tp: [0, 1], to: noonS + 3, process: 3 }, { modelKey: key("b"), tp: [0, 4], to: noonS - 5, process: 4 }, { modelKey: key("c"), to: noonS });
    const seen = async (fromS: number, toS: number) => (await ask(engine, scope, layoutsSeen(shapeId, fromS, toS))).map((one) => `${one.model_key[0]} TP ${one.tp_size} PP ${one.pp_size} ${one.last_s - noonS}`).sort();
    expect(await seen(noonS - dayS, noonS + dayS)).toEqual(["a TP 1 PP 1 3", "a TP 4 PP 1 7", "b TP 4 PP 1 -5"]);
    expect(await seen(noonS + 5, noonS + dayS)).toEqual(["a TP 4 PP 1 7"]);
    expect(await seen(noonS - 2 * dayS, noonS - dayS)).toEqual([]);
  });

  test("the names of the sighting seen last, of any of its keys", async () => {
    const scope = newTenant();
    const shapeId = await storeShape(scope, key("a"), picture);
    expect(await ask(engine, scope, namesOfShape(shapeId))).toEqual([]);
    await storeShape(scope, key("b"), picture);
    await see(scope, { servedName: "old", to: noonS }, { modelKey: key("b"), nameOrPath: "org/net", architecture: "Net", rootClass: "Root", to: noonS + 1 }, { modelKey: key("c"), servedName: "another's", to: noonS + 9 });
    expect(await ask(engine, scope, namesOfShape(shapeId))).toEqual([{ served_name: "", name_or_path: "org/net", architecture: "Net", root_class: "Root" }]);
    expect(await ask(engine, newTenant(), namesOfShape(shapeId))).toEqual([]);
  });
});

test("restarts and replicas share a row; a quantised copy is a row of its own, and so is a structure that changed under the same key", async () => {
  const scope = newTenant();
  const whole = await storeShape(scope, key("a"), "Net\n  fc Linear weight:bfloat16[8,8]");
  await see(scope, { process: 1, to: noonS }, { process: 2, to: noonS + 10 }, { process: 3, host: "node-2", to: noonS + 10 });
  expect(await list(scope)).toMatchObject([{ id: whole, processes: 3, hosts: 2, weight_bytes: 128 }]);
  const quantised = await storeShape(scope, key("b"), "Net\n  fc Linear weight:int8[8,8]");
  await see(scope, { modelKey: key("b"), process: 4, to: noonS + 20 });
  expect(await list(scope)).toMatchObject([{ id: quantised, processes: 1, weight_bytes: 64 }, { id: whole, processes: 3 }]);
  // A key says which shape it has now; the shape it had before stays stored, and its keys can still be asked for.
  const changed = await storeShape(scope, key("a"), "Net\n  fc Linear weight:bfloat16[8,8]\n  adapter Linear weight:bfloat16[2,8]", singleRank(), noonS + 60);
  expect((await list(scope)).map(({ id }) => id)).toEqual([quantised, changed]);
  expect(await ask(engine, scope, shapeById(whole))).toHaveLength(1);
});

test("two tenants with the same models never mix", async () => {
  const [one, other] = [newTenant(), newTenant()];
  await see(one, { host: "node-1", process: 1, servedName: "one" });
  await see(other, { host: "node-2", process: 1, servedName: "other" }, { host: "node-3", process: 2, servedName: "other" });
  const shapeId = await storeShape(other, key("a"), "Net w:float32[1]");
  expect(await list(one)).toMatchObject([{ id: key("a"), shape_id: "", hosts: 1, processes: 1, served_name: "one" }]);
  expect(await list(other)).toMatchObject([{ id: shapeId, hosts: 2, processes: 2, served_name: "other" }]);
});
