// Tables, search, time line and modules through the Worker: what is uploaded comes out counted, whoever asks what.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { rankedBy } from "#schema/ranked-by.ts";
import { limits } from "#schema/limits.ts";
import { root } from "#local/worker.ts";
import type { Client } from "#test/rig/client.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { executionUpload, encodeSamples, nowS, randomId, samplesMessage, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
let tenant: Client;
const modelKey = "0123456789abcdef0123456789abcdef";

function drawModel(drawing: string): StackProfile {
  const profile = drawProfile(drawing);
  return { ...profile, frames: profile.frames.map((one) => (one.kind === "layer" ? { ...one, moduleClass: one.name.split(" ")[0]!, modelKey } : one)) };
}

const served = drawModel(`
  main                                   main                                   main                 main
  forward                                forward                                forward              forward
  Net@net:layer                          Net@net:layer                          Net@net:layer        (idle):native
  Layer layers.0@net.layers.0:layer      Layer layers.1@net.layers.1:layer      relu_copy:gpu_kernel  5/1
  nvjet:gpu_kernel                       nvjet:gpu_kernel                       30/3
  100/10                                 60/6
`);

beforeAll(async () => {
  rig = await StackRig.open();
  tenant = await rig.tenant("tables");
  await tenant.upload("samples", samplesUpload(served, { hostName: "node-7", atS: nowS() - 200 }));
  await rig.settled();
});
afterAll(() => rig.remove());
afterEach(async () => {
  await expectInvariants(rig);
  expect(rig.log.splice(0), "what the Worker warned of").toEqual([]);
});

const top = async (by: string, query: Record<string, string> = {}) => {
  const answer = await tenant.get("flamegraphTop", { query: { by, ...query } });
  return { ...answer, rows: answer.rows.map(({ name, total, self, count, frames }) => [name, total, self, count, frames]) };
};

describe("top", () => {
  test("by everything, of the whole selection", async () => {
    expect(await top("function")).toMatchObject({
      profileType: "cuda", unit: "ns", total: 195, samples: 4, execution: null, rows: [["forward", 195, 0, 20, 1], ["main", 195, 0, 20, 1]],
      unranked: [{ reason: "idle", total: 5, self: 5, count: 1, frames: 1, share: 5 / 195 }], without: 190, cut: { rows: 0, self: 0 },
    });
    expect((await top("kernel")).rows).toEqual([["nvjet", 160, 160, 16, 1], ["relu_copy", 30, 30, 3, 1]]);
    expect((await top("category")).rows).toEqual([["GEMM", 160, 160, 16, 1], ["activation", 30, 30, 3, 1]]);
    expect((await top("module")).rows).toEqual([["Net", 190, 30, 19, 1], ["Layer layers.0", 100, 100, 10, 1], ["Layer layers.1", 60, 60, 6, 1]]);
    expect((await top("class")).rows).toEqual([["Net", 190, 30, 19, 1], ["Layer", 160, 160, 16, 2]]);
    expect((await top("layer")).rows).toEqual([["net.layers.0", 100, 100, 10, 1], ["net.layers.1", 60, 60, 6, 1]]);
    expect((await top("frame")).rows).toHaveLength(7);
  });

  test("of a filter, cut, by self", async () => {
    expect(await top("module", { sort: "self", limit: "1", filter: 'kernel.name == "nvjet"' })).toMatchObject({ total: 160, rows: [["Layer layers.0", 100, 100, 10, 1]], cut: { rows: 2, self: 60 }, without: 0 });
  });

  test("agrees with the flamegraph on what there is", async () => {
    const graph = await tenant.get("flamegraph");
    for (const by of rankedBy) {
      const answer = await tenant.get("flamegraphTop", { query: { by } });
      expect([answer.total, answer.samples, answer.range.to.slice(0, 16)]).toEqual([graph.total, graph.samples, graph.range.to.slice(0, 16)]);
      expect([...answer.rows, ...answer.unranked].reduce((sum, { self }) => sum + self, 0) + answer.cut.self + answer.without).toBe(graph.total);
    }
    expect((await tenant.get("flamegraphTop", { query: { by: "module" } })).without).toBe(5);
  });

  test("every answer says what of the selection lies in no layer, and how far it is complete", async () => {
    const graph = await tenant.get("flamegraph");
    const kernel = graph.frames.id[graph.frames.name.indexOf("nvjet")]!;
    const answers = [
      graph, await tenant.get("flamegraphTop"), await tenant.get("flamegraphSearch", { query: { search: "nvjet" } }), await tenant.get("flamegraphTimeline", { query: { search: "nvjet" } }),
      await tenant.get("frameModules", { query: { frame: kernel } }), await tenant.get("moduleFrames", { query: { module_path: "net.layers.*" } }),
    ];
    for (const { total, withoutLayer, samples, ingestedThrough } of answers) expect({ total, withoutLayer, samples, ingestedThrough }).toEqual({ total: 195, withoutLayer: 5, samples: 4, ingestedThrough: graph.ingestedThrough });
    expect(graph.ingestedThrough).not.toBeNull();
    const { from, to } = graph.range;
    const compared = await tenant.get("flamegraphCompare", { query: { from, to, a_from: from, a_to: to } });
    for (const side of [compared.a, compared.b]) expect(side).toMatchObject({ value: 195, withoutLayer: 5, samples: 4 });
    expect(compared.ingestedThrough).toBe(graph.ingestedThrough);
  });

  test("of names with markup and control characters: as they are, in JSON", async () => {
    const other = await rig.tenant("hostile");
    const name = "<img src=x onerror=alert(1)>\u001b[2J\u202e'; DROP TABLE samples --";
    await other.upload("samples", samplesUpload({ profileType: "cuda", frames: [{ ...served.frames[0]!, name }], stacks: [{ frames: [0], value: 7n, count: 1n }] }));
    await rig.settled();
    const answer = await other.send("flamegraphTop");
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect((JSON.parse(answer.text) as { rows: object[] }).rows).toMatchObject([{ name, total: 7 }]);
    expect((await other.get("flamegraphSearch", { query: { search: "'; drop table" } })).hits).toMatchObject({ total: 7, frames: 1 });
  });

  test.each([{ by: "colour" }, { sort: "name" }, { limit: "0" }, { limit: String(limits.topRowsMax + 1) }, { layers: "fold" }])("refuses %j", async (query) => {
    await tenant.refused("parameter_invalid", "flamegraphTop", { query: query as unknown as Record<string, string> });
  });
});

describe("search", () => {
  test("is of the whole selection, by kind", async () => {
    expect(await tenant.get("flamegraphSearch", { query: { search: "NVJET, /^layer.*1$/, main" } })).toMatchObject({
      total: 195, samples: 4, search: "NVJET, /^layer.*1$/, main",
      hits: { total: 195, share: 1, count: 20, frames: 3, byKind: [{ kind: "python", frames: 1, total: 195 }, { kind: "gpu_kernel", frames: 1, total: 160 }, { kind: "layer", frames: 1, total: 60, share: 60 / 195 }] },
    });
    expect((await tenant.get("flamegraphSearch", { query: { search: "nothing like it" } })).hits).toEqual({ total: 0, share: 0, count: 0, frames: 0, byKind: [] });
  });

  test("refuses what RE2 refuses, with its place", async () => {
    for (const search of ["gemm, /a(?=b)/", "gemm, /(a/", "gemm, /a\\1/"]) {
      const { problems } = await tenant.refused("search_invalid", "flamegraphSearch", { query: { search } });
      expect(problems).toMatchObject([{ kind: "regex_invalid", from: 6, to: search.length }]);
    }
    // A look at the text passes this one; the store has the last word.
    expect((await tenant.refused("search_invalid", "flamegraphSearch", { query: { search: "gemm, /\\p{Script=Greek}/" } })).problems).toMatchObject([{ kind: "regex_invalid", from: 6, to: 24 }]);
    expect((await tenant.refused("search_invalid", "flamegraphSearch", { query: { search: "/((a{999}){999}){999}/" } })).problems).toMatchObject([{ kind: "regex_too_heavy", from: 0, to: 22 }]);
    await tenant.refused("search_invalid", "flamegraphSearch", { query: { search: " , " } });
    await tenant.refused("limit_exceeded", "flamegraphSearch", { query: { search: "a".repeat(limits.searchBytesMax + 1) } });
    await tenant.refused("parameter_invalid", "flamegraphSearch");
    await tenant.refused("filter_regex_invalid", "flamegraphSearch", { query: { search: "a", filter: 'host.name.matches("(")' } });
  });
});

describe("timeline", () => {
  test("has the total in its points, of a search its share", async () => {
    const other = await rig.tenant("time");
    const atS = nowS() - (nowS() % 60) - 600;
    await other.upload("samples", samplesUpload(drawProfile("main\ngemm:gpu_kernel\n10/1"), { atS }));
    await other.upload("samples", samplesUpload(drawProfile("main\nnorm:gpu_kernel\n5/2"), { atS: atS + 59 }));
    await other.upload("samples", samplesUpload(drawProfile("main\nnorm:gpu_kernel\n7/3"), { atS: atS + 120 }));
    await rig.settled();
    expect(await other.get("flamegraphTimeline")).toMatchObject({ by: "time", stepS: 60, search: null, total: 22, matched: 22, samples: 3, points: { t: [atS, atS + 120], value: [15, 7], count: [3, 3] } });
    expect(await other.get("flamegraphTimeline", { query: { search: "NORM", step: "4" } })).toMatchObject({ stepS: 4, search: "NORM", total: 22, matched: 12, points: { t: [atS + 56, atS + 120], value: [5, 7] } });
    expect(await other.get("flamegraphTimeline", { query: { from: "-7d" } })).toMatchObject({ stepS: 3_600, total: 22, matched: 22 });
  });

  test("of an execution goes by its steps", async () => {
    const other = await rig.tenant("steps");
    const executionId = randomId(64);
    const message = samplesMessage(served, { executionId, part: 1, parts: 1 });
    message.samples.step = [2, 1, 2, 3];
    await other.upload("samples", encodeSamples(message));
    await other.upload("executions", executionUpload(executionId, 1, 195n));
    await rig.settled();
    expect(await other.get("flamegraphTimeline", { query: { execution: executionId } })).toMatchObject({ by: "step", stepS: null, executionReason: "selected", total: 195, points: { t: [1, 2, 3], value: [60, 130, 5] } });
    await other.refused("parameter_invalid", "flamegraphTimeline", { query: { execution: executionId, step: "60" } });
    expect(await other.get("flamegraphTop", { query: { by: "layer" } })).toMatchObject({ executionReason: "no_live_samples", execution: { id: executionId }, total: 195 });
  });

  test("refuses steps that are too many, and says how long they may be", async () => {
    const { detail } = await tenant.refused("parameter_invalid", "flamegraphTimeline", { query: { from: "-7d", step: "60" } });
    expect(detail).toMatch(/1008[01] steps.*timelinePointsMax.*at least 606/);
    for (const query of [{ step: "0" }, { step: "1.5" }, { step: "day" }]) await tenant.refused("parameter_invalid", "flamegraphTimeline", { query });
    await tenant.refused("search_invalid", "flamegraphTimeline", { query: { search: "/(/" } });
  });
});

describe("modules", () => {
  test("of a frame, from its id in a flamegraph or a table", async () => {
    const graph = await tenant.get("flamegraph");
    const id = graph.frames.id[graph.frames.name.indexOf("nvjet")]!;
    const { rows } = await tenant.get("flamegraphTop", { query: { by: "kernel" } });
    expect(rows[0]!.frame).toBe(id);
    const answer = await tenant.get("frameModules", { query: { frame: id } });
    expect(answer).toMatchObject({ total: 195, frame: { id, kind: "gpu_kernel", name: "nvjet", total: 160, count: 16 }, without: 0, cut: { modules: 0, total: 0 } });
    expect(answer.modules.map(({ modulePath, moduleClass, modelKey: key, total, count, share }) => [modulePath, moduleClass, key, total, count, share])).toEqual([["net.layers.0", "Layer", modelKey, 100, 10, 100 / 160], ["net.layers.1", "Layer", modelKey, 60, 6, 60 / 160]]);
    expect(await tenant.get("frameModules", { query: { frame: graph.frames.id[graph.frames.name.indexOf("main")]!, limit: "1" } })).toMatchObject({ frame: { total: 195 }, modules: [], without: 195 });
  });

  test("that another tenant has are not there", async () => {
    const graph = await tenant.get("flamegraph");
    const other = await rig.tenant("nothing");
    await other.refused("not_found", "frameModules", { query: { frame: graph.frames.id.at(-1)! } });
    for (const frame of ["", "xyz", "0x12", "1".repeat(17)]) await tenant.refused("parameter_invalid", "frameModules", { query: { frame } });
  });

  test("and their copies", async () => {
    const answer = await tenant.get("moduleFrames", { query: { module_path: "net.layers.*", model_key: modelKey } });
    expect(answer.groups).toMatchObject([{ moduleClass: "Layer", modelKey, total: 160, self: 160, count: 16, copies: { n: 2, min: { value: 60, index: ["1"] }, median: 80, max: { value: 100, index: ["0"] } }, rows: [{ modulePath: "net.layers.0", total: 100 }, { modulePath: "net.layers.1", total: 60 }] }]);
    expect((await tenant.get("moduleFrames", { query: { module_path: "net.layers.2" } })).groups).toEqual([]);
    expect((await tenant.get("moduleFrames", { query: { module_path: "net", model_key: "f".repeat(32) } })).groups).toEqual([]);
    for (const query of [{ module_path: "net.lay*" }, { module_path: "net", model_key: "x" }]) await tenant.refused("parameter_invalid", "moduleFrames", { query: query as Record<string, string> });
  });
});

describe("on the command line", () => {
  const run = promisify(execFile);
  async function lamella(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    try {
      const env = { ...process.env, LAMELLA_URL: `${rig.stack.url}/t/tables`, LAMELLA_TOKEN: tenant.token };
      return { code: 0, ...(await run(process.execPath, [join(root, "cli/lamella.mjs"), ...args], { env })) };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  }

  test("top prints a table, and the same as JSON", async () => {
    const { stdout } = await lamella("top", "--by", "module");
    expect(stdout).toMatch(/^GPU time: 195 ns in 4 samples\n/);
    expect(stdout).toMatch(/\n {2}time {3}share {4}self {2}calls {2}module {10}path\n190 ns {2}97\.4 % {3}30 ns {5}19 {2}Net {13}net\n/);
    expect(stdout).toMatch(/\nIn no module: 5 ns \(2\.6 %\)\n$/);
    expect(JSON.parse((await lamella("top", "--by", "kernel", "--json")).stdout)).toMatchObject({ by: "kernel", rows: [{ name: "nvjet", self: 160 }, { name: "relu_copy" }] });
    expect((await lamella("top")).stdout).toContain("Not ranked, idle: 1 frame, 5 ns (2.6 %), of it 5 ns self");
  });

  test("top --module shows the copies and the slow one", async () => {
    expect((await lamella("top", "--module", "net.layers.*")).stdout).toContain("2 copies: min 60 ns at 1 · median 80 ns · max 100 ns at 0");
    expect((await lamella("top", "--module", "net", "--by", "kernel")).stderr).toMatch(/--by ranks what is different/);
  });

  test("timeline prints bars", async () => {
    const { stdout } = await lamella("timeline", "--search", "nvjet");
    expect(stdout).toMatch(/Search nvjet: 160 ns, 82\.1 % of the total\n\n█\n.* UTC\na bar is 60 s/);
    expect(JSON.parse((await lamella("timeline", "--json")).stdout)).toMatchObject({ total: 195, stepS: 60 });
  });

  test("what was typed wrongly is pointed at", async () => {
    expect((await lamella("timeline", "--search", "nvjet, /(/")).stderr).toMatch(/nvjet, \/\(\/\n\s+\^{3} Not an RE2 pattern: missing \)/);
    expect((await lamella("top", "--filter", 'host.nam == "a"')).stderr).toMatch(/\^{8} Unsupported filter field, did you mean host\.name\?/);
    expect((await lamella("top", "--by", "colour")).stderr).toMatch(/function, kernel, module, class, layer, category, frame/);
  });
});
