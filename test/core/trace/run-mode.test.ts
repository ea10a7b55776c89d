// Eager, compiled, replayed: read off names and gaps, of drawn records and of public traces.
import { describe, expect, test } from "vitest";
import { join } from "node:path";
import { recordOf } from "#cli/execution-record.ts";
import { runMode } from "#core/trace/run-mode.ts";
import { drawRecord } from "#test/rig/draw-record.ts";

const found = { operators: 10 };

test("modules and operators without a trace of a compiler or a graph are eager", () => {
  expect(runMode(drawRecord(". Net 1 10 1", { found }))).toMatchObject({ label: "eager", compiled: false, graphs: null });
});

test.each([
  ["a GraphModule", drawRecord("Net[0] Net 1 10 1\n  GraphModule[0] GraphModule 1 10 1", { found })],
  ["a compiled region", drawRecord(". Net 1 10 1", { found, kernels: [{ module: 0, op: "Torch-CompiledRegion: 0/0", kernel: "k", count: 1, value: 10 }] })],
  ["a kernel of Inductor", drawRecord(". Net 1 10 1", { found, kernels: [{ module: 0, op: "x", kernel: "triton_poi_fused_add_0", count: 1, value: 10 }] })],
  ["fused operators known", drawRecord(". Net 1 10 1", { found, kernels: [{ module: 0, op: "x", kernel: "k", fused: "aten.add", count: 1, value: 10 }] })],
])("%s is compiled", (_, record) => {
  expect(runMode(record)).toMatchObject({ label: "compiled", compiled: true, graphs: null, evidence: [expect.any(String)] });
});

test("a Triton kernel that somebody wrote is not a compiler's", () => {
  expect(runMode(drawRecord(". Net 1 10 1", { found, kernels: [{ module: 0, op: "x", kernel: "triton_attention_fwd", count: 1, value: 10 }] })).label).toBe("eager");
});

test("replayed graphs: their kernels in no module, or placed where they were captured", () => {
  expect(runMode(drawRecord(". Net 1 10 1", { found, gaps: [{ reason: "graph replay", kernels: 421, value: 9_000 }] }))).toMatchObject({ label: "graph replay", graphs: { kernels: 421, value: 9_000, placed: false } });
  expect(runMode(drawRecord(". Net 1 10 1", { found, notes: ["Kernels of replayed graphs, placed in the modules they were captured in: 1,421"] }))).toMatchObject({ label: "graph replay", graphs: { kernels: 1_421, placed: true } });
});

test("without operators, and for sampled profiles, nothing is claimed", () => {
  expect(runMode(drawRecord(". Net 1 10 1")).label).toBe("not known");
  expect(runMode(drawRecord("", { found, profileType: "cpu" })).label).toBe("not known");
});

const data = process.env.LAMELLA_TEST_DATA;
describe.skipIf(data === undefined)("public traces (LAMELLA_TEST_DATA is set)", () => {
  const capture = join(`${data}`, "kineto/tracelens__inference__vllm_decode_full__capture_traces__graph_capture_rank_0.1773709742341309550.pt.trace.json.gz");
  test.each([
    ["tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", [], "eager"],
    ["tracelens__torch_compile_triton__trace.json.gz", [], "compiled"],
    ["tracelens__inference__vllm_decode_full__graph_execution.json.gz", [], "compiled, graph replay"],
    ["tracelens__inference__vllm_decode_full__graph_execution.json.gz", [capture], "compiled, graph replay"],
  ])("%s %j is %s", async (file, captures, label) => {
    expect(runMode((await recordOf({}, join(`${data}`, "kineto", file), { captures })).record).label).toBe(label);
  });
});
