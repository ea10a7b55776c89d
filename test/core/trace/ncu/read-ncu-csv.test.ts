import { expect, test } from "vitest";
import { bottleneckOf } from "#core/trace/ncu/kernel-metrics.ts";
import { readNcuCsv } from "#core/trace/ncu/read-ncu-csv.ts";

const quoted = (...cells: string[]) => cells.map((cell) => `"${cell}"`).join(",");
const where = ["4242", "python3", "127.0.0.1"];
const launch = (name: string) => [name, "1", "7", "(128, 1, 1)", "(96, 1, 1)", "0", "9.0"];
const about = ["Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"];
const gemm = "void gemm<128, (int)4>(float const*, char)";

const details = [
  "==PROF== Connected to process 4242", 'a line of the program, "quoted", and more',
  quoted("ID", ...about, "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type", "Rule Description"),
  ...[["0", gemm, "Duration", "us", "853.98"], ["0", gemm, "Memory Throughput", "%", "87.54"], ["0", gemm, "Memory Throughput", "Tbyte/s", "2.90"], ["0", gemm, "Compute (SM) Throughput", "%", "37.35"],
    ["0", gemm, "DRAM Throughput", "%", "80.01"], ["0", gemm, "Mem Busy", "%", "n/a"], ["1", "add", "Duration", "ns", "1,234"], ["1", "add", "Memory Throughput", "%", "12.5"], ["1", "add", "Compute (SM) Throughput", "%", "3"],
  ].map(([id, name, metric, unit, value]) => quoted(id!, ...where, ...launch(name!), "GPU Speed Of Light Throughput", metric!, unit!, value!, "", "", "")),
  quoted("1", ...where, ...launch("add"), "SpeedOfLight", "", "", "", "SOLBottleneck", "OPT", 'low, see ""Scheduler Statistics""'),
].join("\n");

const raw = [
  quoted("ID", ...about, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "gpu__time_duration.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
  quoted(...Array.from({ length: 11 }, () => ""), "%", "%", "usecond", "%"),
  quoted("0", ...where, ...launch(gemm), "80.01", "87.54", "853.98", "37.35"), quoted("1", ...where, ...launch("add"), "", "12.5", "1.234", "3"),
].join("\r\n");

const expected = [
  { name: gemm, launches: 1, durationNs: 853_980, memoryPercent: 87.54, computePercent: 37.35, dramPercent: 80.01, bottleneck: { kind: "memory bound", reason: "memory 87.5 %, compute 37.4 % of peak: at the limit (80 % or more)" } },
  { name: "add", launches: 1, durationNs: 1_234, memoryPercent: 12.5, computePercent: 3, dramPercent: null, bottleneck: { kind: "latency bound", reason: "memory 12.5 %, compute 3.0 % of peak: both under 60 %" } },
];

test.each([["details", details], ["raw", raw]])("--page %s", (_, text) => {
  expect(readNcuCsv(text)).toEqual({ ok: true, value: expected });
});

test("a summary by kernel has averages over its launches", () => {
  const head = quoted("Process ID", "Kernel Name", "Invocations", "Section Name", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average");
  const rows = [["Memory Throughput", "%", "10", "30", "20"], ["Compute (SM) Throughput", "%", "60", "80", "70"], ["Duration", "us", "1", "3", "2"]].map((cells) => quoted("1", "k", "2", "GPU Speed Of Light Throughput", ...cells));
  expect(readNcuCsv([head, ...rows].join("\n"))).toMatchObject({ ok: true, value: [{ name: "k", launches: 2, durationNs: 2_000, memoryPercent: 20, bottleneck: { kind: "compute bound" } }] });
});

test.each([
  [59.9, 59.9, "latency bound"], [60, 10, "memory bound"], [10, 60, "compute bound"], [79.9, 80, "compute bound"], [80, 80, "memory bound"],
])("memory %d %%, compute %d %%: %s", (memory, compute, kind) => {
  expect(bottleneckOf(memory, compute).kind).toBe(kind);
});

test.each([
  ["no table", "==PROF== Connected\n==ERROR== no permission", "no table of kernels"],
  ["nothing profiled", quoted("ID", ...about, "gpu__time_duration.sum"), "nothing was profiled"],
  ["other sections only", [quoted("ID", ...about, "launch__registers_per_thread"), quoted("0", ...where, ...launch("k"), "32")].join("\n"), "without the section Speed Of Light"],
])("%s: refused with what to do", (_, text, reason) => {
  expect(readNcuCsv(text)).toMatchObject({ ok: false, error: { reason: expect.stringContaining(reason) } });
});
