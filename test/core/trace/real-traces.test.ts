// Public traces (folder LAMELLA_TEST_DATA): known totals, and the time inside modules against a second, naive reading of the same file.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Execution } from "#core/trace/execution.ts";
import { importCapture, importTrace } from "#core/trace/import-trace.ts";
import { headline, reportLines } from "#core/trace/report.ts";
import { executionRecord } from "#schema/api/execution-record.ts";
import { executionRecordBytes, executionRecordOf } from "#core/trace/execution-record.ts";

const folder = process.env["LAMELLA_TEST_DATA"];
const suite = folder === undefined ? "public traces: skipped, LAMELLA_TEST_DATA is not set" : "public traces";

function bytesOf(name: string): Uint8Array {
  const bytes = readFileSync(`${folder}/kineto/${name}`);
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function importFile(bytes: Uint8Array): Promise<Execution> {
  const result = await importTrace(chunksOf(bytes), { frameName: ({ path, className }) => `${className} ${path}` });
  if (!result.ok) throw new Error(result.error.reason);
  const { samples, totals } = result.value;
  expect(samples.reduce((sum, sample) => sum + sample.value, 0)).toBe(totals.value);
  expect(samples.reduce((sum, sample) => sum + sample.count, 0)).toBe(totals.kernels);
  return result.value;
}

type Raw = { ph: string; cat?: string; name: string; id?: number; pid: unknown; tid: unknown; ts: number; dur: number; args?: { correlation?: number } };

// Kernels whose launch starts inside any module interval of its thread, or inside the engine's call of a node whose forward (by the profiler's arrow alone)
// does, or of the accumulation right after it, collectives left out: by doubles and linear searches.
function naiveTotals(bytes: Uint8Array): { kernels: number; ms: number; moduleMs: number } {
  const document = JSON.parse(new TextDecoder().decode(bytes));
  const events: Raw[] = (document.traceEvents ?? document).filter((event: Raw) => event.ph === "X");
  const modules = events.filter((event) => event.cat === "python_function" && event.name.startsWith("nn.Module: "));
  const launches = new Map(events.filter((event) => /runtime|driver/i.test(event.cat ?? "") && event.args?.correlation).map((event) => [event.args!.correlation, event]));
  const kernels = events.filter((event) => event.cat?.toLowerCase() === "kernel");
  const holds = (outer: Raw, at: Raw) => outer.pid === at.pid && outer.tid === at.tid && outer.ts <= at.ts && at.ts < outer.ts + outer.dur;
  const engine = events.filter((event) => event.name.startsWith("autograd::engine::")).sort((a, b) => a.ts - b.ts);
  const arrows: Raw[] = (document.traceEvents ?? document).filter((event: Raw) => event.cat === "fwdbwd");
  const forwardOf = new Map<Raw, Raw | undefined>();
  for (const end of arrows.filter((event) => event.ph === "f")) {
    const node = engine.find((call) => holds(call, end));
    if (node !== undefined) forwardOf.set(node, arrows.find((event) => event.ph === "s" && event.id === end.id));
  }
  engine.forEach((call, i) => {
    const before = engine.slice(0, i).findLast((other) => other.tid === call.tid && !other.name.includes("AccumulateGrad"));
    if (call.name.includes("AccumulateGrad")) forwardOf.set(call, before && forwardOf.get(before));
  });
  const collectives = events.filter((event) => event.name.startsWith("nccl:"));
  const inModule = (launch: Raw) => {
    if (modules.some((module) => holds(module, launch))) return true;
    const forward = collectives.some((call) => holds(call, launch)) ? undefined : forwardOf.get(engine.find((call) => holds(call, launch))!);
    return forward !== undefined && modules.some((module) => holds(module, forward));
  };
  const linked = kernels.filter((kernel) => launches.has(kernel.args?.correlation ?? 0) && inModule(launches.get(kernel.args!.correlation)!));
  const sum = (list: Raw[]) => list.reduce((total, event) => total + event.dur, 0) / 1000;
  return { kernels: kernels.length, ms: sum(kernels), moduleMs: sum(linked) };
}

describe.skipIf(folder === undefined)(suite, () => {
  test("Qwen1.5-0.5B on H100", async () => {
    const execution = await importFile(bytesOf("tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"));
    expect(headline(execution)).toBe("1,465 kernels · 45.43 ms GPU time · 31.76 ms (69.9 %) inside modules · 436 kernels (13.67 ms) launched before capture");
    expect(execution).toMatchObject({ device: "NVIDIA H100 80GB HBM3", pathSource: "inferred", notes: [] });
    const layers = execution.frames.filter((frame) => frame.moduleClass === "Qwen2DecoderLayer");
    expect(layers.map((frame) => frame.name)).toEqual(Array.from({ length: 24 }, (_, n) => `Qwen2DecoderLayer[${n}]`));
    expect(layers.map((frame) => frame.modulePath)).toEqual(Array.from({ length: 24 }, (_, n) => `Qwen2Model[0].Qwen2DecoderLayer[${n}]`));
    const root = execution.frames.findIndex((frame) => frame.modulePath === "Qwen2Model[0]");
    for (const sample of execution.samples) expect(sample.step).toBe(execution.stacks[sample.stack]!.includes(root) ? 6 : 0);
  });

  test.each([
    ["tracelens__h100__gaunernst_bert-small-uncased__1016001.json.gz", 100],
    ["tracelens__mi300__gaunernst_bert-small-uncased__1016001.json.gz", 100],
    ["tracelens__h100__Falconsai_nsfw_image_detection__1016002.json.gz", 100],
    ["tracelens__mi300__Falconsai_nsfw_image_detection__1016002.json.gz", 100],
    ["tracelens__inference__sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode.json.gz", 100],
    ["tracelens__inference__vllm_prefilldecode_piecewise__graph_execution.json.gz", 100],
    ["tracelens__inference__vllm_decode_full__graph_execution.json.gz", 2.6],
    ["tracelens__mi300__resnet_act_checkpoint.json.gz", 19.7],
    ["tracelens__perf_model__normalization__normalization_layer_test.json.gz", 97.8],
    ["kineto__samples__resnet50_num_workers_0__worker0.pt.trace.json.gz", 0], // a bare array, 2021, no modules
  ])("%s: kernel time inside modules, %d percent", async (name, percent) => {
    const bytes = bytesOf(name);
    const { totals } = await importFile(bytes);
    const naive = naiveTotals(bytes);
    expect(totals.kernels).toBe(naive.kernels);
    expect(totals.value / 1e6).toBeCloseTo(naive.ms, 4);
    expect(totals.moduleValue / 1e6).toBeCloseTo(naive.moduleMs, 4);
    expect((100 * totals.moduleValue) / totals.value).toBeCloseTo(percent, 1);
  });

  test.each([
    ["tracelens__mi300__google_owlv2-large-patch14-ensemble__1016001.json.gz", 4255, 100],
    ["tracelens__inference__xdit_sd_3.5__profile_trace_rank_0.json.gz", 8042, 99.9],
    ["tracelens__inference__xdit_flux.1__capture_traces__capture_trace_rank_0.json.gz", 2540, 99.8],
  ])("%s, too large for the naive reading: %d kernels, at least %d percent inside modules", async (name, kernels, percent) => {
    const { totals } = await importFile(bytesOf(name));
    expect(totals.kernels).toBe(kernels);
    expect((100 * totals.moduleValue) / totals.value).toBeGreaterThanOrEqual(percent);
  });

  // No file crashes: each gives a report with a record inside its bound, or is refused with a reason.
  test.each(folder === undefined ? [] : readdirSync(`${folder}/kineto`).filter((name) => statSync(`${folder}/kineto/${name}`).size < 1_200_000))("%s gives a report or a reason", async (name) => {
    const result = await importTrace(chunksOf(bytesOf(name)), { frameName: ({ path, className }) => `${className} ${path}` });
    if (!result.ok) return expect(result.error.reason).toMatch(/execution trace|no trace events/);
    expect(reportLines(result.value).length).toBeGreaterThan(2);
    const record = JSON.parse(new TextDecoder().decode(executionRecordBytes(result.value)));
    expect(executionRecord.parse(record)).toEqual(record);
    expect(result.value.kernelUses.reduce((sum, use) => sum + use.value, 0)).toBe(result.value.profileType === "cuda" ? result.value.totals.value : 0);
  });

  test("sglang prefill: by GPU time the MLP is above attention", async () => {
    const execution = await importFile(bytesOf("tracelens__inference__sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode.json.gz"));
    const { modules, texts } = executionRecordOf(execution);
    const ms = (className: string) => modules.value.reduce((sum, value, row) => sum + (texts[modules.class[row]!] === className ? value : 0), 0) / 1e6;
    expect([Math.round(ms("Qwen2MLP") + ms("Qwen3MLP")), Math.round(ms("Qwen3Attention"))]).toEqual([356, 128]);
  });

  test("graph replay, missing launches and resumed captures are named", async () => {
    const gaps = async (name: string) => (await importFile(bytesOf(name))).gaps.map(({ reason, kernels }) => [reason, kernels]);
    expect(await gaps("tracelens__inference__vllm_decode_full__graph_execution.json.gz")).toEqual([["graph replay", 421], ["outside any module", 3]]);
    expect(await gaps("tracelens__mi300__resnet_act_checkpoint.json.gz")).toEqual([["launched before capture", 757], ["collective over gradients", 6], ["backward, module unknown", 6], ["outside any module", 12]]);
    expect(await gaps("kineto__samples__resnet50_num_workers_0__worker0.pt.trace.json.gz")).toEqual([["launched before capture", 736], ["outside any module", 8802]]);
  });

  test.each([
    ["vllm_decode_full", "1773709742341309550", 421, [["outside any module", 3]]],
    ["vllm_prefilldecode_piecewise", "1773709679453551615", 361, [["outside any module", 3]]],
  ])("%s with its capture trace: every replayed kernel is mapped", async (run, stamp, kernels, gaps) => {
    const options = { frameName: ({ path, className }: { path: string; className: string }) => `${className} ${path}` };
    const captured = await importCapture(chunksOf(bytesOf(`tracelens__inference__${run}__capture_traces__graph_capture_rank_0.${stamp}.pt.trace.json.gz`)), options);
    if (!captured.ok) throw new Error(captured.error.reason);
    const result = await importTrace(chunksOf(bytesOf(`tracelens__inference__${run}__graph_execution.json.gz`)), { ...options, captures: captured.value });
    if (!result.ok) throw new Error(result.error.reason);
    expect(result.value.notes).toContain(`Kernels of replayed graphs, placed in the modules they were captured in: ${kernels}`);
    expect(result.value.gaps.map(({ reason, kernels }) => [reason, kernels])).toEqual(gaps);
  });

  test.each([
    ["hta__execution_trace__benchmark_simple_add_et.json.gz", "a PyTorch execution trace"],
    ["tracelens__inference__vllm_decode_full__capture_traces__execution_details.json", "no trace events"],
  ])("%s is refused: %s", async (name, reason) => {
    expect(await importTrace([bytesOf(name)], { frameName: ({ path }) => path })).toMatchObject({ ok: false, error: { reason: expect.stringContaining(reason) } });
  });
});

test("the demo recording: CPU operator time, recorded paths, six steps", async () => {
  const bytes = gunzipSync(readFileSync(new URL("../../../local/demo/qwen3-demo.trace.json.gz", import.meta.url)));
  const execution = await importFile(bytes);
  expect(execution).toMatchObject({ profileType: "cpu_op", pathSource: "recorded", modelName: "qwen3-demo", notes: [] });
  expect(execution.device).toMatch(/^CPU: /);
  expect([...new Set(execution.samples.map((sample) => sample.step))].sort()).toEqual([1, 2, 3, 4, 5, 6]);
  const paths = new Set(execution.frames.filter((frame) => frame.kind === "layer").map((frame) => frame.modulePath));
  for (let layer = 0; layer < 4; layer++) expect(paths).toContain(`model.layers.${layer}.self_attn.q_proj`);
  // Independently: operators that lie in no other operator of their thread take as long as all self times together.
  const operators: Raw[] = JSON.parse(new TextDecoder().decode(bytes)).traceEvents.filter((event: Raw) => event.ph === "X" && event.cat === "cpu_op" && !event.name.startsWith("ProfilerStep#"));
  const outer = operators.filter((a) => !operators.some((b) => b !== a && b.tid === a.tid && b.ts <= a.ts && a.ts + a.dur <= b.ts + b.dur));
  expect(execution.totals.kernels).toBe(operators.length);
  expect(execution.totals.value / 1e6).toBeCloseTo(outer.reduce((sum, event) => sum + event.dur, 0) / 1000, 3);
});
