import { describe, expect, test } from "vitest";
import { executionRecordOf } from "#core/trace/execution-record.ts";
import { readModelExecution } from "#core/trace/mapper/read-model-execution.ts";
import { recordText } from "#core/trace/record-text.ts";
import { limits } from "#schema/limits.ts";
import { accepted, bytesOf, stackLines } from "../stacks-text.ts";

// Written by hand: an embedding, three layers as one node, in each an attention and q, k, v, which are three Linear and so a run themselves.
const longName = `void cutlass::gemm<${"x".repeat(80)}>`; // 99 characters
const attention = {
  class: "Attn", instance: 1, dur_us: 200, all_layer_durs: [200, 205, 190], children: [],
  ops: [{
    op: "aten::linear", dur_us: 90, dims: "[1,64] → [64,64]", args: [{ name: "in0", shape: [1, 64], dtype: "BFloat16" }, { name: "in1", shape: [64, 64], dtype: "BFloat16" }], gpu_note: "GPU tensor metadata (no kernel)",
    all_layer_durs: [90, 95, 88], sub_ops: [{ op: "aten::addmm", dur_us: 80, gpu_display: `${longName.slice(0, 80)}...`, gpu_dur_us: 12.3 }],
  }],
};
const projections = { class: "Linear", instance: 7, dur_us: 10, repeat: 3, per_layer_dur: [10, 11, 12], all_layer_durs: [10, 9, 8], children: [], ops: [{ op: "aten::linear", dur_us: 9, gpu: "gemm", gpu_dur_us: 4, gpu_role: "gemm", all_layer_durs: [9, 8.5, 7] }] };
const layer = { class: "Layer", instance: 5, dur_us: 300, repeat: 3, per_layer_dur: [300, 310.5, 290], all_layer_durs: [300, 310.5, 290], children: [attention, projections], ops: [] };
const file = (change: object = {}) => ({
  model: "Qwen/Qwen3-8B", device: "cuda", dtype: "bfloat16", engine: {}, config: {}, mode: "prefill", layers: 3, layer_template: [], per_layer: [],
  kernel_summary: { [longName]: { count: 30, total_dur_us: 369, role: "gemm" }, gemm: { count: 90, total_dur_us: 360, role: "gemm" } },
  module_tree: {
    class: "Net", instance: 0, dur_us: 1000.5, ops: [{ op: "aten::to", dur_us: 3, gpu: "Memcpy HtoD (Pageable -> Device)", gpu_dur_us: 1.5 }],
    children: [{ class: "Embedding", instance: 0, dur_us: 20, children: [], ops: [{ op: "aten::embedding", dur_us: 15, gpu: "embedding_kernel", gpu_dur_us: 2.1 }] }, layer],
  },
  pre_model_ops: [], post_model_ops: [{ op: "aten::argmax", dur_us: 5, gpu: "argmax_kernel", gpu_dur_us: 0.9 }],
  stats: { total_cpu_ops: 900, total_kernels: 120, total_nn_module_events: 150 }, ...change,
});
const read = (document: unknown) => accepted(readModelExecution(bytesOf(JSON.stringify(document))));

describe("a file written by hand", () => {
  const execution = read(file());
  test("GPU time of what is in it, not multiplied by the copies", () => {
    expect(stackLines(execution)).toEqual([
      "layer:Net[0] > layer:Embedding[0] > op:aten::embedding > gpu_kernel:embedding_kernel | 2100 × 1",
      `layer:Net[0] > layer:Layer[0] > layer:Attn[0] > op:aten::linear > op:aten::addmm > gpu_kernel:${longName} | 12300 × 1`,
      "layer:Net[0] > layer:Layer[0] > layer:Linear[0] > op:aten::linear > gpu_kernel:gemm | 4000 × 1",
      "op:aten::argmax > gpu_kernel:argmax_kernel | 900 × 1",
    ]);
    expect(execution).toMatchObject({
      profileType: "cuda", pathSource: "inferred", modelName: "Qwen/Qwen3-8B", totals: { kernels: 4, value: 19_300, moduleValue: 18_400 }, gaps: [{ reason: "outside any module", kernels: 1, value: 900 }],
      copies: [{ kind: "Memcpy HtoD (Pageable -> Device)", count: 1, durationNs: 1_500, bytes: 0 }],
    });
  });
  test("copies are modules with the host times the file gives, and no GPU time", () => {
    const lines = execution.modules.map(({ frame, depth, calls }) => `${"  ".repeat(depth)}${execution.frames[frame]!.name} gpu ${calls.gpuNs.join()} cpu ${calls.cpuNs.join()}`);
    expect(lines).toEqual([
      "Net[0] gpu 18400 cpu 1000500", "  Embedding[0] gpu 2100 cpu 20000",
      "  Layer[0] gpu 16300 cpu 300000", "    Attn[0] gpu 12300 cpu 200000", "    Linear[0] gpu 4000 cpu 10000", "    Linear[1] gpu NaN cpu 11000", "    Linear[2] gpu NaN cpu 12000",
      "  Layer[1] gpu NaN cpu 310500", "    Attn[0] gpu NaN cpu 205000", "    Linear[0] gpu NaN cpu 9000",
      "  Layer[2] gpu NaN cpu 290000", "    Attn[0] gpu NaN cpu 190000", "    Linear[0] gpu NaN cpu 8000",
    ]);
    const paths = execution.operations.map(({ module, op, calls, cpuNs }) => [module < 0 ? "" : execution.frames[module]!.modulePath, op, calls, cpuNs]);
    expect(paths).toContainEqual(["Net[0].Layer[1].Attn[0]", "aten::linear", 1, 95_000]);
  });
  test("kernels with the sizes of their operator's inputs", () => {
    expect(execution.kernelUses[0]).toMatchObject({ op: "aten::linear", kernel: longName, dims: "[[1,64],[64,64]]", dtypes: '["BFloat16","BFloat16"]', count: 1, value: 12_300 });
  });
  test("what is missing, with its size", () => {
    expect(execution.notes).toEqual([
      "Of the recording's 150 module calls and 120 kernels the file has 13 and 4: it may lack later calls of the model, the kernels of copies, and of an operator's kernels all but the first",
      "Its 2 longest kernels took 729.00 µs in the whole recording; 19.30 µs of GPU time is placed here",
      "Of 3 × Layer the file has the kernels of the first only: the GPU time of the other 2 is missing",
      "Of 3 × Linear the file has the kernels of the first only: the GPU time of the other 2 is missing",
      "No time of the file is finer than a tenth of a microsecond",
    ]);
  });
});

test("without kernels: the self time of operators", () => {
  const tree = { class: "Net", instance: 0, dur_us: 100, children: [], ops: [{ op: "aten::linear", dur_us: 9.5, gpu_note: "CPU-only", sub_ops: [{ op: "aten::mm", dur_us: 7.25, gpu_note: "CPU-only" }] }] };
  const execution = read(file({ module_tree: tree, post_model_ops: [] }));
  expect(stackLines(execution)).toEqual(["layer:Net[0] > op:aten::linear | 2250 × 1", "layer:Net[0] > op:aten::linear > op:aten::mm | 7250 × 1"]);
  expect(execution).toMatchObject({ profileType: "cpu_op", totals: { value: 9_500, kernels: 2 } });
});

test("an instance called twice is one module with two calls", () => {
  const act = { class: "SiLU", instance: 3, dur_us: 4, children: [], ops: [{ op: "aten::silu", dur_us: 2, gpu: "silu", gpu_dur_us: 1 }] };
  const execution = read(file({ module_tree: { class: "Net", instance: 0, dur_us: 10, children: [act, { ...act, dur_us: 6 }, { ...act, instance: 4 }], ops: [] } }));
  expect(execution.modules.map(({ frame, calls }) => [execution.frames[frame]!.modulePath, calls.gpuNs, calls.cpuNs])).toEqual([
    ["Net[0]", [3_000], [10_000]], ["Net[0].SiLU[0]", [1_000, 1_000], [4_000, 6_000]], ["Net[0].SiLU[1]", [1_000], [4_000]],
  ]);
});

test("a cut name stays cut where the summary has two that fit, or may have lost one", () => {
  const two = read(file({ kernel_summary: { [`${longName}1`]: {}, [`${longName}2`]: {} } }));
  const full = read(file({ kernel_summary: Object.fromEntries([longName, ...Array.from({ length: 29 }, (_, i) => `k${i}`)].map((name) => [name, {}])) }));
  for (const { kernelUses, notes } of [two, full]) {
    expect(kernelUses[0]!.kernel).toBe(`${longName.slice(0, 80)}...`);
    expect(notes).toContain("Kernel names the file cuts at 80 characters: 1");
  }
});

describe("what others write", () => {
  test("wrong types are read as nothing, and counted where they are times", () => {
    const ops = [{ op: 7, dur_us: "9", gpu: "k", gpu_dur_us: -1 }, null, "op", { op: "a", dur_us: 1e300, gpu: "k", gpu_dur_us: 2 }];
    const { notes, totals } = read(file({ model: 5, device: [], kernel_summary: [null], stats: "x", pre_model_ops: "none", post_model_ops: {}, module_tree: { class: 5, instance: "0", dur_us: null, children: [3, null, {}], ops } }));
    expect(totals).toEqual({ kernels: 2, value: 2_000, moduleValue: 2_000 });
    expect(notes).toContain("Times that are no number, below 0 or over 104 days, read as 0: 4");
  });
  test("lists of copies that do not fit their run are left out; a run of a billion is one module", () => {
    const { modules, notes } = read(file({ module_tree: { ...layer, repeat: 1e9, children: [{ ...attention, all_layer_durs: [1, 2] }] } }));
    expect(modules).toHaveLength(2);
    expect(notes).toContain("Lists of host times that do not have one for every copy of their run, left out: 1");
    expect(notes.join()).toContain("the GPU time of the other 999,999,999 is missing");
  });
  test.each([
    ["modules", "children", { class: "M" }], ["operators", "ops", { op: "a" }],
  ])("nested too deep: %s", (_, key, leaf) => {
    const inner = key === "children" ? "children" : "sub_ops";
    const depth = limits.traceNestingMax + 1;
    const nested = `${`{"${inner}":[`.repeat(depth)}${JSON.stringify(leaf)}${"]}".repeat(depth)}`;
    const text = `{"kernel_summary":{},"module_tree":{"class":"Net","${key}":[${nested}]}}`;
    expect(readModelExecution(bytesOf(text))).toMatchObject({ ok: false, error: { reason: expect.stringContaining("traceNestingMax") } });
  });
  test.each([
    ["no tree", { kernel_summary: {}, module_tree: [] }, '"module_tree" is no module'],
    ["nothing with a time", { kernel_summary: {}, module_tree: { class: "Net" } }, "no sample with a value"],
  ])("%s: refused", (_, document, reason) => {
    expect(readModelExecution(bytesOf(JSON.stringify(document)))).toMatchObject({ ok: false, error: { reason: expect.stringContaining(reason) } });
  });
  test("half a file is refused as such", () => {
    expect(readModelExecution(bytesOf(JSON.stringify(file()).slice(0, 300)))).toMatchObject({ ok: false, error: { reason: expect.stringContaining("cannot be parsed as JSON") } });
  });
  test("control characters never reach the terminal", () => {
    const evil = "\u001b[2J\u0007";
    const tree = { class: evil, instance: 0, dur_us: 10, children: [], ops: [{ op: evil, dur_us: 1, dims: evil, args: [{ dtype: evil }], gpu: evil, gpu_dur_us: 1 }] };
    const execution = read(file({ model: evil, device: evil, module_tree: tree }));
    const text = recordText(executionRecordOf(execution), { name: "f", top: 5 });
    for (const character of evil) if (character < " ") expect(text).not.toContain(character);
  });
});
