// Nsight Systems' SQLite exports, made here from the schema NVIDIA documents: https://docs.nvidia.com/nsight-systems/UserGuide/ (SQLite Schema Reference).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { readProfile } from "#cli/read-profile.ts";
import type { Execution } from "#core/trace/execution.ts";
import { stackLines } from "#test/core/trace/stacks-text.ts";

const folder = mkdtempSync(join(tmpdir(), "lamella-nsys-"));
afterAll(() => rmSync(folder, { recursive: true }));

// A global thread id: hardware, VM, process and thread in 8, 8, 24 and 24 bits. Beyond 2^53, as real ones are.
const tid = (process: number, thread: number) => (1n << 56n) | (BigInt(process) << 24n) | BigInt(thread);
const pid = (process: number) => tid(process, 0);

type Rows = Record<string, (number | bigint | string | null)[][]>;
const columns: Record<string, string> = {
  StringIds: "id INTEGER PRIMARY KEY, value TEXT NOT NULL",
  CUPTI_ACTIVITY_KIND_KERNEL: "start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, streamId INT NOT NULL, correlationId INT, globalPid INT, demangledName INT NOT NULL, shortName INT NOT NULL, graphNodeId INT",
  CUPTI_ACTIVITY_KIND_RUNTIME: "start INT NOT NULL, end INT NOT NULL, eventClass INT NOT NULL, globalTid INT, correlationId INT, nameId INT NOT NULL, returnValue INT NOT NULL",
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE: "start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, correlationId INT, globalPid INT, graphId INT",
  CUPTI_ACTIVITY_KIND_MEMCPY: "start INT NOT NULL, end INT NOT NULL, bytes INT NOT NULL, copyKind INT NOT NULL", CUPTI_ACTIVITY_KIND_MEMSET: "start INT NOT NULL, end INT NOT NULL, bytes INT NOT NULL",
  NVTX_EVENTS: "start INT NOT NULL, end INT, eventType INT NOT NULL, text TEXT, globalTid INT, textId INT",
  ThreadNames: "nameId INT NOT NULL, priority INT, globalTid INT", TARGET_INFO_GPU: "id INT NOT NULL, name TEXT", TARGET_INFO_SESSION_START_TIME: "utcEpochNs INT",
};
const strings = ["cudaLaunchKernel_v7000", "cuLaunchKernelEx", "cudaGraphLaunch_v10000", "gemm<(int)128>(float*)", "gemm", "add", "model.layers.1.mlp", "python3"];
const id = (word: string) => strings.indexOf(word) + 1;

const whole: Rows = {
  StringIds: strings.map((word) => [id(word), word]),
  NVTX_EVENTS: [
    [0, 1_000, 59, "step 1", tid(10, 1), null], [10, 200, 59, "model.layers.0.self_attn", tid(10, 1), null], [20, 60, 59, "aten::mm, op_id = 12, seq = 3", tid(10, 1), null],
    [210, 400, 59, null, tid(10, 1), id("model.layers.1.mlp")], [0, null, 59, "other thread", tid(10, 2), null], [5, 5, 34, "a mark", tid(10, 1), null], [0, null, 75, "domain", null, null],
  ],
  CUPTI_ACTIVITY_KIND_RUNTIME: [
    [30, 34, 0, tid(10, 1), 1, id("cudaLaunchKernel_v7000"), 0], [220, 224, 1, tid(10, 1), 2, id("cuLaunchKernelEx"), 0], [500, 520, 0, tid(10, 1), 3, id("cudaGraphLaunch_v10000"), 0],
    [40, 44, 0, tid(11, 1), 1, id("cudaLaunchKernel_v7000"), 0], // the same id in another process
  ],
  CUPTI_ACTIVITY_KIND_KERNEL: [
    [100, 150, 0, 7, 1, pid(10), id("gemm<(int)128>(float*)"), id("gemm"), null], [300, 310, 0, 7, 2, pid(10), id("add"), id("add"), null],
    [600, 620, 0, 7, 3, pid(10), id("add"), id("add"), 4_294_967_297], [620, 625, 0, 7, 3, pid(10), id("gemm<(int)128>(float*)"), id("gemm"), 4_294_967_298],
    [90, 98, 1, 7, 1, pid(11), id("add"), id("add"), null], [10, 13, 0, 7, 77, pid(10), id("add"), id("add"), null],
  ],
  CUPTI_ACTIVITY_KIND_MEMCPY: [[700, 730, 4_096, 1]], CUPTI_ACTIVITY_KIND_MEMSET: [[740, 742, 64]],
  ThreadNames: [[id("python3"), 0, tid(10, 1)]], TARGET_INFO_GPU: [[0, "NVIDIA H100 80GB HBM3"], [1, "NVIDIA H100 80GB HBM3"]], TARGET_INFO_SESSION_START_TIME: [[1_764_000_000_000_000_000n]],
};

function file(name: string, rows: Rows): string {
  const path = join(folder, name);
  const database = new DatabaseSync(path);
  for (const [table, values] of Object.entries(rows)) {
    database.exec(`CREATE TABLE ${table} (${columns[table] ?? "id INT"})`);
    for (const row of values) database.prepare(`INSERT INTO ${table} VALUES (${row.map(() => "?").join(", ")})`).run(...row);
  }
  database.close();
  return path;
}

async function read(name: string, rows: Rows): Promise<Execution> {
  const found = await readProfile(file(name, rows));
  if (!("execution" in found)) throw new Error("no execution");
  return found.execution;
}

test("kernels below thread, ranges at launch time and call; ids belong to a process; a range named by a path is a layer", async () => {
  const execution = await read("whole.sqlite", whole);
  expect(stackLines(execution)).toEqual([
    "native:python3 > nvtx:step 1 > layer:self_attn > op:aten::mm > gpu_api:cudaLaunchKernel > gpu_kernel:gemm<(int)128>(float*) | 50 × 1",
    "native:python3 > nvtx:step 1 > layer:mlp > gpu_api:cuLaunchKernelEx > gpu_kernel:add | 10 × 1",
    "native:python3 > nvtx:step 1 > gpu_api:cudaGraphLaunch > gpu_kernel:add | 20 × 1", "native:python3 > nvtx:step 1 > gpu_api:cudaGraphLaunch > gpu_kernel:gemm<(int)128>(float*) | 5 × 1",
    "native:thread 1 > gpu_api:cudaLaunchKernel > gpu_kernel:add | 8 × 1", "gpu_api:(launch not recorded) > gpu_kernel:add | 3 × 1",
  ]);
  expect(execution).toMatchObject({
    profileType: "cuda", device: "NVIDIA H100 80GB HBM3", pathSource: "recorded", totals: { kernels: 6, value: 96, moduleValue: 60 },
    recordedAtNs: 1_764_000_000_000_000_010n, durationNs: 732, found: { launches: 4, copies: 2, copyNs: 32 },
    busyNs: 96, // no two overlap
    devices: [{ device: 0, name: "NVIDIA H100 80GB HBM3", streams: 1, kernels: 5, value: 88, busyNs: 88 }, { device: 1, name: "NVIDIA H100 80GB HBM3", streams: 1, kernels: 1, value: 8, busyNs: 8 }],
    copies: [{ kind: "Memcpy HtoD", count: 1, durationNs: 30, bytes: 4_096 }, { kind: "Memset", count: 1, durationNs: 2, bytes: 64 }],
    gaps: [{ reason: "launch not recorded", kernels: 1, value: 3 }, { reason: "graph replay", kernels: 2, value: 25 }, { reason: "outside any module", kernels: 1, value: 8 }],
  });
  expect(execution.modules.map(({ frame, parent, calls }) => [execution.frames[frame]!.modulePath, parent, calls.gpuNs, calls.cpuNs])).toEqual([["model.layers.0.self_attn", -1, [50], [190]], ["model.layers.1.mlp", -1, [10], [190]]]);
  expect(execution.notes).toContain("Kernels replayed by a CUDA graph, below the launch of their graph: 2");
});

test("graphs traced as a whole are kept, and it is said how to see their kernels", async () => {
  const { CUPTI_ACTIVITY_KIND_KERNEL: _, ...rest } = whole;
  const execution = await read("graphs.sqlite", { ...rest, CUPTI_ACTIVITY_KIND_GRAPH_TRACE: [[600, 640, 0, 3, pid(10), 5]] });
  expect(stackLines(execution)).toEqual(["native:python3 > nvtx:step 1 > gpu_api:cudaGraphLaunch > gpu_kernel:(CUDA graph 5, its kernels not traced) | 40 × 1"]);
  expect(execution.notes.join()).toContain("--cuda-graph-trace=node");
});

test("an old export without process ids of kernels, names of threads or time of start", async () => {
  const old = file("old.sqlite", { StringIds: whole.StringIds!, CUPTI_ACTIVITY_KIND_RUNTIME: whole.CUPTI_ACTIVITY_KIND_RUNTIME!.slice(0, 1) });
  const database = new DatabaseSync(old);
  database.exec(`CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, correlationId INT, shortName INT); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 0, 1, ${id("gemm")})`);
  database.close();
  const found = await readProfile(old);
  expect("execution" in found && stackLines(found.execution)).toEqual(["native:thread 1 > gpu_api:cudaLaunchKernel > gpu_kernel:gemm | 50 × 1"]);
  expect("execution" in found && found.execution.notes.join()).toMatch(/No NVTX ranges.*no absolute time/);
});

test.each([
  ["another database", { pages: [[1]] } as Rows, "an SQLite database, but no Nsight Systems export."],
  ["rocprofv3's database", { rocpd_kernel_dispatch: [[1]] } as Rows, "record with --output-format json"],
  ["no CUDA trace", { StringIds: [], NVTX_EVENTS: [] } as Rows, "without GPU kernels; record with nsys profile --trace cuda,nvtx"],
  ["no kernel ran", { StringIds: [], CUPTI_ACTIVITY_KIND_KERNEL: [] } as Rows, "nothing ran on a GPU"],
])("%s: refused", async (name, rows, reason) => {
  await expect(readProfile(file(`${name.replaceAll(/\W/g, "-")}.sqlite`, rows))).rejects.toThrow(reason);
});

test("a database that is cut off, and a report that was not exported", async () => {
  const cut = join(folder, "cut.sqlite");
  writeFileSync(cut, "SQLite format 3\0 and nothing more");
  await expect(readProfile(cut)).rejects.toThrow("cannot be read");
  const report = join(folder, "run.nsys-rep");
  writeFileSync(report, Uint8Array.of(1, 2, 3, 0, 4));
  await expect(readProfile(report)).rejects.toThrow("nsys export --type sqlite");
});
