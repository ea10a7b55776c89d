// Exports through the whole service: uploaded stacks come out as files of each format, whole, and read again they are the stacks that went in.
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { importFile } from "#core/trace/import-file.ts";
import { root } from "#local/worker.ts";
import { type ExportFormat, exportFormatNames, exportFormats } from "#schema/export-formats.ts";
import { limits } from "#schema/limits.ts";
import { accepted, stackLines } from "#test/core/trace/stacks-text.ts";
import type { Client } from "#test/rig/client.ts";
import { StackRig } from "#test/rig/stack.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { executionUpload, nowS, randomId, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
let tenant: Client;
const folder = mkdtempSync(join(tmpdir(), "lamella-exports-"));
beforeAll(async () => {
  rig = await StackRig.open();
  tenant = await rig.tenant("exports");
  await rig.send(tenant, ["samples", samplesUpload(served, { hostName: "node-7" })], ["samples", samplesUpload(drawProfile("other\n1/1"), { hostName: "node-8" })]);
});
afterAll(async () => {
  await rig.remove();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => expect(rig.log.splice(0), "what the Worker warned of").toEqual([]));

const served = drawProfile(`
  main                                   main                                   main             main
  Net:layer                              Net:layer                              Net:layer        idle
  Layer layers.0@layers.0:layer          Layer layers.1@layers.1:layer          add:gpu_kernel   5/1
  gemm:gpu_kernel                        gemm:gpu_kernel                        30/3
  100/10                                 60/6
`);

async function download(format: ExportFormat, query: Record<string, string> = {}): Promise<{ headers: Headers; bytes: Buffer }> {
  const response = await fetch(`${rig.stack.url}/t/${tenant.slug}/api/flamegraph/export?${new URLSearchParams({ format, filter: 'host.name == "node-7"', ...query })}`, { headers: { authorization: `Bearer ${tenant.token}` } });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, exportFormats[format].contentType]);
  const body = Buffer.from(await response.arrayBuffer());
  return { headers: response.headers, bytes: format === "pprof" ? gunzipSync(body) : body };
}

const lines = async (bytes: Uint8Array) => stackLines(accepted(await importFile(() => [bytes], { frameName: () => "", fileName: "x" }))).sort();
const folded = async (query?: Record<string, string>) => (await download("folded", query)).bytes.toString().split("\n").filter(Boolean).sort();

describe("each format", () => {
  test("pprof, read again, is the stacks with their kinds, values and launches", async () => {
    const { headers, bytes } = await download("pprof");
    expect(await lines(bytes)).toEqual([
      "python:main > layer:Net > gpu_kernel:add | 30 × 3", "python:main > layer:Net > layer:Layer layers.0 > gpu_kernel:gemm | 100 × 10", "python:main > layer:Net > layer:Layer layers.1 > gpu_kernel:gemm | 60 × 6",
      "python:main > python:idle | 5 × 1",
    ]);
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="lamella-cuda-\d{8}T\d{6}Z-\d{8}T\d{6}Z\.pb\.gz"$/);
    expect([headers.get("x-lamella-profile-type"), headers.get("x-lamella-stacks"), headers.get("x-lamella-execution")]).toEqual(["cuda", "4", null]);
  });

  test("folded and speedscope hold the same sums", async () => {
    expect(await folded()).toEqual(["main;Net;Layer layers.0;gemm 100", "main;Net;Layer layers.1;gemm 60", "main;Net;add 30", "main;idle 5"]);
    expect((await lines((await download("speedscope")).bytes)).map((line) => line.replace(/ × \d+$/, ""))).toEqual((await lines((await download("pprof")).bytes)).map((line) => line.replace(/ × \d+$/, "")));
  });

  test("a Chrome trace says when and of what it is, and CSV has a row for each node", async () => {
    const { otherData } = JSON.parse((await download("chrome")).bytes.toString()) as { otherData: { title: string; notes: string } };
    expect(otherData.title).toMatch(/^GPU time, live samples from 20\d\d-.*Z to 20\d\d-.*Z$/);
    expect(otherData.notes).toMatch(/^Complete through .*Z\. Filter: host\.name == "node-7"$/);
    expect((await download("csv")).bytes.toString().split("\r\n")[1]).toBe("0,,0,root,all,,,,,,0,195,0,20");
  });

  test("without samples, is a valid file of nothing", async () => {
    const nothing = { filter: 'host.name == "nowhere"' };
    for (const format of exportFormatNames) expect((await download(format, nothing)).headers.get("x-lamella-stacks")).toBe("0");
    expect((await download("folded", nothing)).bytes.length).toBe(0);
    expect(JSON.parse((await download("speedscope", nothing)).bytes.toString())).toMatchObject({ profiles: [{ endValue: 0, samples: [], weights: [] }] });
  });
});

describe("a view of the stacks", () => {
  test("hidden kinds are taken out, and what they kept apart is summed", async () => {
    expect(await folded({ layers: "hide" })).toEqual(["main;add 30", "main;gemm 160", "main;idle 5"]);
    expect(await folded({ hide: "gpu_kernel,python" })).toEqual(["(no frames) 5", "Net 30", "Net;Layer layers.0 100", "Net;Layer layers.1 60"]);
    expect(await folded({ layers: "fold" })).toEqual(["main;Net;Layer layers.*;gemm 160", "main;Net;add 30", "main;idle 5"]);
    expect(await folded({ invert: "1" })).toEqual(["add;Net;main 30", "gemm;Layer layers.0;Net;main 100", "gemm;Layer layers.1;Net;main 60", "idle;main 5"]);
  });

  test("is the one the flamegraph shows", async () => {
    const { frames } = await tenant.get("flamegraph", { query: { filter: 'host.name == "node-7"' } });
    const frame = frames.id[frames.name.indexOf("Layer layers.0")]!;
    expect(await folded({ frame })).toEqual(["Layer layers.0;gemm 100"]);
    const { otherData } = JSON.parse((await download("chrome", { frame, hide: "op", side: "callers" })).bytes.toString()) as { otherData: { notes: string } };
    expect(otherData.notes).toContain(`Taken out of every stack: op. Only stacks with the frame ${frame}: its callers.`);
  });
});

test("an execution by its id, or the latest where the range has no live samples, and the file says which", async () => {
  const elsewhere = await rig.tenant("exports-execution");
  const id = randomId(64);
  await rig.send(elsewhere, ["samples", samplesUpload(served, { executionId: id, part: 1, parts: 1 })], ["executions", executionUpload(id, 1, 195n, { name: 'x"; filename="evil\r\n.json' })]);
  const answer = await elsewhere.send("flamegraphExport", { query: { format: "chrome" } });
  expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="lamella-cuda-${id.slice(0, 12)}.trace.json"`);
  expect([answer.headers.get("x-lamella-execution"), answer.headers.get("x-lamella-execution-reason")]).toEqual([id, "no_live_samples"]);
  expect(JSON.parse(answer.text)).toMatchObject({ otherData: { title: `GPU time of x"; filename="evil\r\n.json on a drawn device, execution ${id.slice(0, 12)}`, notes: "The latest execution: the range has no live samples." } });
});

describe("refused with what to do", () => {
  test("no format, or one that does not exist", async () => {
    for (const query of [{}, { format: "svg" }]) expect((await tenant.refused("parameter_invalid", "flamegraphExport", { query: query as Record<string, string> })).detail).toMatch(/`format`.*pprof/);
    await tenant.refused("parameter_invalid", "flamegraphExport", { query: { format: "csv", hide: "nothing" } });
    await tenant.refused("filter_syntax", "flamegraphExport", { query: { format: "csv", filter: "host.name ==" } });
    await tenant.refused("parameter_invalid", "flamegraphExport", { query: { format: "csv", max_nodes: "3" } });
  });

  // As many stacks as a file may hold, each of one frame of its own, and one more.
  test("more stacks than a file holds: how many there are; at the bound, all of them", async () => {
    const large = await rig.tenant("exports-large");
    const at = `toDateTime(${nowS() - 60})`;
    const put = async (from: number, to: number) => {
      await rig.rows(`INSERT INTO stacks (tenant_id, stack_id, frames, last_seen) SELECT '${large.tenantId}', number, [number * 16 + 5, 18], today() FROM numbers(${from}, ${to - from})`);
      await rig.rows(`INSERT INTO samples (tenant_id, profile_type, retention_days, bucket, ts, stack_id, source, value, count) SELECT '${large.tenantId}', 'cuda', 30, toStartOfHour(${at}), ${at}, number, 'live', 2, 1 FROM numbers(${from}, ${to - from})`);
    };
    await put(1, limits.exportStacksMax + 1);
    const whole = await large.send("flamegraphExport", { query: { format: "folded" } });
    expect([whole.status, whole.headers.get("x-lamella-stacks"), whole.text.split("\n").length - 1]).toEqual([200, String(limits.exportStacksMax), limits.exportStacksMax]);
    await put(limits.exportStacksMax + 1, limits.exportStacksMax + 2);
    const { detail } = await large.refused("limit_exceeded", "flamegraphExport", { query: { format: "folded" } });
    expect(detail).toBe("There are 100,001 different stacks with 200,002 nodes, and a file holds 100,000 (exportStacksMax) with 500,000 (exportNodesMax). Narrow `from`, `to` or `filter`, or take a kind of frames out: `hide=python`.");
    expect((await large.send("flamegraphExport", { query: { format: "folded", hide: "gpu_kernel" } })).headers.get("x-lamella-stacks")).toBe("1");
  });
});

describe("lamella export", () => {
  type Outcome = { code: number; stdout: string; stderr: string };
  const run = promisify(execFile);
  async function lamella(...args: string[]): Promise<Outcome> {
    const env = { ...process.env, LAMELLA_URL: `${rig.stack.url}/t/${tenant.slug}`, LAMELLA_TOKEN: tenant.token };
    try {
      return { code: 0, ...(await run(process.execPath, [join(root, "cli/lamella.mjs"), ...args], { env })) };
    } catch (error) {
      return error as Outcome;
    }
  }

  test("writes a file that `go tool pprof` reads, and says what is in it", async () => {
    const file = join(folder, "gpu.pb.gz");
    expect(await lamella("export", "--format", "pprof", "-o", file, "--filter", 'host.name == "node-7"')).toEqual({ code: 0, stdout: `${file}: 4 stacks of GPU time, live samples\n`, stderr: "" });
    expect(await lines(gunzipSync(readFileSync(file)))).toHaveLength(4);
    const go = ["go", "/usr/local/go/bin/go"].find((path) => spawnSync(path, ["version"]).status === 0);
    if (go === undefined) return console.log("go is not installed: not read with `go tool pprof`");
    expect(spawnSync(go, ["tool", "pprof", "-top", file], { encoding: "utf8", env: { ...process.env, GOTOOLCHAIN: "local" } }).stdout).toMatch(/160ns 82\.05%.*gemm\n/);
  }, 600_000);

  test("pipes into another tool, with the word about it beside", async () => {
    const { stdout, stderr } = await lamella("export", "--format", "folded", "--layers", "fold", "--filter", 'host.name == "node-7"');
    expect(stdout).toBe("main;Net;Layer layers.*;gemm 160\nmain;Net;add 30\nmain;idle 5\n");
    expect(stderr).toBe("3 stacks of GPU time, live samples\n");
  });

  test("--json says what was written", async () => {
    const file = join(folder, "gpu.csv");
    expect(JSON.parse((await lamella("export", "--format", "csv", "-o", file, "--json")).stdout)).toEqual({ file, profileType: "cuda", stacks: 5, execution: null, executionReason: null });
  });

  test.each([
    [["export"], /required option '--format <format>' not specified/],
    [["export", "--format", "svg"], /Allowed choices are pprof, folded, speedscope, chrome, csv/],
    [["export", "--format", "csv", "--json"], /name the file with -o FILE/],
    [["export", "--format", "csv", "-o", "/no/such/folder/x.csv"], /x\.csv is not complete: ENOENT/],
    [["export", "--format", "csv", "--filter", 'host.nam == "a"'], /did you mean host\.name\?/],
  ])("lamella %j is refused", async (args, words) => {
    const { code, stderr } = await lamella(...args);
    expect(code).not.toBe(0);
    expect(args.includes("--json") ? (await lamella(...args)).stdout : stderr).toMatch(words);
  });
});
