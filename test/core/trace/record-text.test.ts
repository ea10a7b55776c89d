// Records as text, whole: every figure can be worked out from the drawing.
import { describe, expect, test } from "vitest";
import { moduleText } from "#core/trace/module-text.ts";
import { recordText } from "#core/trace/record-text.ts";
import { drawnStep, drawRecord } from "#test/rig/draw-record.ts";

const layers = (values: readonly number[]) => values.map((value, i) => `    layers.${i} Layer 2 ${value} 2\n      mlp Mlp 2 ${value / 2} 1`).join("\n");
const net = drawRecord(`
  . Net 2 100000 20
${layers([10_000, 10_200, 9_800, 10_000, 20_000])}
    norm Norm 2 90 1
    drop Dropout 2 0 0`, {
  device: "GPU X", durationNs: 200_000, totals: { kernels: 22, value: 120_000, moduleValue: 100_000, busyNs: 110_000 }, gaps: [{ reason: "launched before capture", kernels: 2, value: 20_000 }],
  steps: [drawnStep(1, { label: "execute_context", phase: "prefill", prefillRequests: 1, prefillTokens: 1_024, kernels: 12, value: 70_000, busyNs: 65_000, durationNs: 90_000 }), drawnStep(2, { label: "", kernels: 8, value: 30_000, busyNs: 30_000, durationNs: 50_000 })],
  categories: [{ category: "GEMM", kernels: 10, value: 90_000 }, { category: "norm", kernels: 12, value: 30_000 }],
  kernels: [
    { module: 2, op: "aten::mm", kernel: "void gemm<128>", category: "GEMM", grid: "[\n 8, 1,\n 1]", block: "[128, 1, 1]", dims: "[[1, 64], [64, 64]]", dtypes: '["c10::Half", "c10::Half", "Scalar"]', count: 2, value: 5_000 },
    { module: 4, op: "aten::mm", kernel: "void gemm<128>", category: "GEMM", grid: "[\n 8, 1,\n 1]", block: "[128, 1, 1]", dims: "[[1, 64], [64, 64]]", dtypes: '["c10::Half", "c10::Half", "Scalar"]', count: 2, value: 5_100 },
    { module: -1, kernel: "early", category: "other", count: 2, value: 20_000 },
    { module: 11, kernel: "rms_norm", category: "norm", fused: "aten.pow, aten.mean", metrics: 0, count: 1, value: 90 },
  ],
  kernelMetrics: [{ name: "rms_norm", launches: 1, durationNs: 90, memoryPercent: 81.25, computePercent: 12, dramPercent: null, bottleneck: { kind: "memory bound", reason: "memory 81.3 %" } }],
  operations: { module: [], op: [], calls: [], cpuNs: [] }, notes: ["2 events were skipped"], missing: [{ what: "a part", disables: "a view", remedy: "Record it" }],
});

test("a record from the first line to the last", () => {
  expect(recordText(net, { name: "run.json.gz", top: 2 })).toBe(`\
run.json.gz
org/net · GPU X · recorded at an unknown time · 200.00 µs · 100 events
120.00 µs GPU time in 22 kernels · 100.00 µs (83.3 %) inside modules · GPU busy 110.00 µs (55.0 % of the recording)

Not inside a module
  20.00 µs  16.7 %  2 kernels  launched before capture: the GPU was still busy with earlier work when the recording began; synchronize before it starts

Steps: 2
  step             phase    requests  tokens  GPU time  GPU busy  kernels  on the host
  execute_context  prefill         1   1,024  70.00 µs  65.00 µs       12     90.00 µs
  call 2                                      30.00 µs  30.00 µs        8     50.00 µs

What the kernels do
  90.00 µs  75.0 %  GEMM  10 kernels  ████████████████████████
  30.00 µs  25.0 %  norm  12 kernels  ████████

Modules
  min, median, max: GPU time of one call; copies built alike are one line ×N, with the sum of all, and the median of their medians
  ←: copies unlike the others, and how many times the median they took (outside 3 × the median distance, and 10 % off)
   GPU time   share  calls       min    median       max   CPU time  module
  100.00 µs  83.3 %      2  50.00 µs  50.00 µs  50.00 µs    1.00 ms  Net  (+ 2 modules under 0.1 %)
   60.00 µs  50.0 %     10   4.90 µs   5.00 µs  10.00 µs  600.00 µs    Layer layers.0…4 ×5  ← layers.4 2.00×
   30.00 µs  25.0 %     10   2.45 µs   2.50 µs   5.00 µs  300.00 µs      Mlp mlp  ← layers.4 2.00×

Kernels: the 2 longest of 3
  20.00 µs  16.7 %  ×2  other  early
      in no module
  10.10 µs   8.4 %  ×4  GEMM   gemm<128>
      aten::mm · grid [8,1,1] · block [128,1,1] · inputs [[1,64],[64,64]] · Half · in layers.0…4.mlp

missing: a part. Without it: a view. Record it
note: 2 events were skipped
`);
});

test("one module: its times, all copies with the unlike ones marked, what is called in it, its kernels", () => {
  const text = moduleText(net, { module: "layers.1", top: 5 });
  expect(text.ok ? text.value : text.error).toBe(`\
layers.1  Layer
10.20 µs GPU time (8.5 %), 5.10 µs its own · 2 calls · 2 kernels
GPU time of a call, min / median / max: 5.10 µs / 5.10 µs / 5.10 µs, the longest was call 1
on the host, min / median / max: 51.00 µs / 51.00 µs / 51.00 µs, the longest was call 1; in total 102.00 µs

Copies built alike: 5
  copy      GPU time  calls    median       max  longest call   CPU time
  layers.0  10.00 µs      2   5.00 µs   5.00 µs             1  100.00 µs
  layers.1  10.20 µs      2   5.10 µs   5.10 µs             1  102.00 µs
  layers.2   9.80 µs      2   4.90 µs   4.90 µs             1   98.00 µs
  layers.3  10.00 µs      2   5.00 µs   5.00 µs             1  100.00 µs
  layers.4  20.00 µs      2  10.00 µs  10.00 µs             1  200.00 µs  ← 2.00×

What is called in it and its copies, ×5 together
  GPU time   share  calls      min   median       max   CPU time  module
  60.00 µs  50.0 %     10  4.90 µs  5.00 µs  10.00 µs  600.00 µs  Layer layers.0…4 ×5  ← layers.4 2.00×
  30.00 µs  25.0 %     10  2.45 µs  2.50 µs   5.00 µs  300.00 µs    Mlp mlp  ← layers.4 2.00×

Kernels: 1
  5.10 µs  4.3 %  ×2  GEMM  gemm<128>
      aten::mm · grid [8,1,1] · block [128,1,1] · inputs [[1,64],[64,64]] · Half · in layers.1.mlp
`);
});

test("what is known of a kernel from Inductor and Nsight Compute stands with its launch", () => {
  const text = moduleText(net, { module: "norm", top: 5 });
  expect(text.ok && text.value).toContain("  90 ns  0.1 %  ×1  norm  rms_norm\n      fuses aten.pow, aten.mean · memory 81.3 %, compute 12.0 %: memory bound · in norm\n");
});

test("copies inside copies: a range of its own in each, every copy by its whole place, a small subtree counted whole", () => {
  const expert = (i: number, value: number) => `    experts.${i} Expert 1 ${value} 1\n      w Linear 1 ${value} 1`;
  const layer = (i: number, last: number) => `  layers.${i} Layer 1 ${3_000 + last} 3\n${[1_000, 2_000, last].map((value, at) => expert(at, value)).join("\n")}`;
  const moe = drawRecord(`. Net 1 21001 10\n${layer(0, 1_000)}\n${layer(1, 2_000)}\n${layer(2, 9_000)}\n  tail Tail 1 1 1\n    a Linear 1 1 1\n    b Linear 1 0 0`);
  const text = recordText(moe, { name: "x", top: 1 });
  expect(text).toContain("Net  (+ 3 modules under 0.1 %)\n");
  expect(text).toContain("  Layer layers.0…2 ×3\n");
  expect(text).toContain("    Expert experts.0…2 ×3  ← layers.2.experts.2 4.50×\n");
  const copies = moduleText(moe, { module: "layers.2.experts.0", top: 1 });
  expect(copies.ok && [...copies.value.matchAll(/^ {2}(layers\S+)/gm)].map(([, copy]) => copy)).toEqual([0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => `layers.${i}.experts.${j}`)));
});

test("a profile of samples: its own headline", () => {
  const text = recordText(drawRecord("", { profileType: "samples", headline: "14 samples", durationNs: 0, device: "CPU", modelName: "", totals: { kernels: 14, value: 14, moduleValue: 0, busyNs: 0 } }), { name: "x.folded", top: 1 });
  expect(text).toBe("x.folded\nCPU · recorded at an unknown time · 100 events\n14 samples\n");
});

describe("naming a module", () => {
  const nested = drawRecord(". Net 1 9 1\n  model Model 1 9 1\n    layers.0 Layer 1 4 1\n      mlp Mlp 1 4 1\n    layers.1 Layer 1 5 1\n      mlp Mlp 1 5 1");
  const said = (module: string) => {
    const text = moduleText(nested, { module, top: 1 });
    return text.ok ? text.value.split("\n")[0] : text.error;
  };
  test.each([
    ["", "Net  Net"],
    ["model.layers.1.mlp", "model.layers.1.mlp  Mlp"],
    ["layers.1.mlp", "model.layers.1.mlp  Mlp"],
    ["mlp", '2 modules end in "mlp", e.g. model.layers.0.mlp and model.layers.1.mlp; write more of the path'],
    ["model.layers.7", 'there is no module "model.layers.7". In model there are: model.layers.0, model.layers.1'],
    ["head", 'there is no module "head". In the root there are: model'],
  ])("%j", (module, expected) => expect(said(module)).toBe(expected));
  test("none at all", () => expect(moduleText(drawRecord(""), { module: "x", top: 1 })).toEqual({ ok: false, error: "the execution has no modules" }));
});

test("many steps are one line per phase; without GPU times only how long they took on the host", () => {
  const decode = Array.from({ length: 20 }, (_, i) => drawnStep(i + 1, { phase: "decode", decodeRequests: 4, decodeTokens: 4, value: 1_000 + i, busyNs: 900, durationNs: 2_000 }));
  const lines = (steps: Parameters<typeof drawRecord>[1]) => recordText(drawRecord(". Net 1 9 1", steps), { name: "x", top: 1 }).split("\n\n").find((section) => section.startsWith("Steps"));
  expect(lines({ steps: [...decode, drawnStep(21, { phase: "prefill", prefillRequests: 2, prefillTokens: 512, value: 9_000, durationNs: 9_500 })] })).toBe(`\
Steps: 21
  phase    steps  requests  tokens  GPU time      min   median      max  on the host
  decode      20        80      80  20.19 µs  1.00 µs  1.01 µs  1.02 µs     40.00 µs
  prefill      1         2     512   9.00 µs  9.00 µs  9.00 µs  9.00 µs      9.50 µs`);
  expect(lines({ profileType: "cpu_op", steps: [drawnStep(3, { label: "ProfilerStep#3", durationNs: 1_500 })] })).toBe("Steps: 1\n  step            on the host\n  ProfilerStep#3      1.50 µs");
});

test("a profile without a GPU: operators in place of kernels, times of calls on the host", () => {
  const record = drawRecord(". Net 2 1000 4", { profileType: "cpu_op" });
  const ops = { ...record, texts: [...record.texts, "aten::mm", "aten::add"], operations: { module: [0, 0, -1], op: [record.texts.length, record.texts.length + 1, record.texts.length], calls: [3, 1, 1], cpuNs: [600, 300, 50] } };
  const text = recordText(ops, { name: "x", top: 1 });
  expect(text).toContain("1.00 µs CPU operator time in 4 operator calls · 1.00 µs (100.0 %) inside modules · GPU busy");
  expect(text).toContain("  CPU operator time    share  calls      min   median      max  module\n            1.00 µs  100.0 %      2  5.00 µs  5.00 µs  5.00 µs  Net\n");
  expect(text).toContain("Operators, on the host, with what they call: the 1 longest of 2\n  650 ns  ×4  aten::mm\n");
});

test("what does not fit into a record is said", () => {
  const text = recordText(drawRecord(". Net 1 9 1", { modulesLeftOut: 1, kernelsLeftOut: 1_234, kernels: [{ module: 0, kernel: "k", count: 1, value: 9 }] }), { name: "x", top: 1 });
  expect(text).toContain("1 short module has no room in the record; the flamegraph has them");
  expect(text).toContain("Kernels: 1; 1,234 short ones have no room in the record");
});

test("nothing of a file reaches the terminal as a control sequence", () => {
  const evil = "\u001b[31mred\u0007\u202e";
  const record = drawRecord(`. ${evil} 1 900 1\n  ${evil} Layer 1 900 1`, {
    device: evil, modelName: evil, notes: [evil], gaps: [{ reason: evil, kernels: 1, value: 1 }], missing: [{ what: evil, disables: evil, remedy: evil }], categories: [{ category: evil, kernels: 1, value: 1 }],
    steps: [drawnStep(1, { label: evil })], copies: [{ kind: evil, count: 1, durationNs: 1, bytes: 1 }], request: { label: evil, inputTokens: 1, outputTokens: 1, latencyNs: 1 },
    devices: [0, 1].map((device) => ({ device, name: evil, streams: 1, kernels: 1, value: 1, busyNs: 1 })),
    kernels: [{ module: 1, op: evil, kernel: evil, category: evil, grid: evil, block: evil, dims: evil, dtypes: `["${evil}"]`, count: 1, value: 1 }],
  });
  const texts = [recordText(record, { name: evil, top: 5 }), ...["", evil, "nothing"].map((module) => {
    const text = moduleText(record, { module, top: 5 });
    return text.ok ? text.value : "";
  })];
  for (const text of texts) expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
