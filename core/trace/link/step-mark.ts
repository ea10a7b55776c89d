// The names engines and the profiler give to a step, read into numbers. Spellings met: ProfilerStep#6 (PyTorch); execute_context_1(888)_generation_2(2),
// execute_context_1(888_788544)_generation_0(0) and execute_32_context_0(sq0sk0…)_generation_32(sq32sk55086…) (vLLM, old to new; the number after execute is
// the padded batch, sq the query tokens); execute_diffusion_1_1024x1024 (xDiT); step[EXTEND bs=15 toks=15360], step[DECODE bs=32] (SGLang);
// capture_32_FULL (vLLM, while a graph is captured).
import type { StepPhase } from "../execution.ts";

export type StepMark = {
  profilerStep: number; // n of ProfilerStep#n; -1 = an engine's mark
  label: string;
  phase: StepPhase;
  prefillRequests: number; // 0 where the mark does not say
  prefillTokens: number;
  decodeRequests: number;
  decodeTokens: number;
  batch: number; // padded tokens of the step, or the size a graph is captured for; 0 where the mark does not say
};

const profiler = /^ProfilerStep#(\d{1,9})$/;
const vllm = /^execute_(?:(\d{1,9})_)?context_(\d{1,9})\((?:sq)?(\d{0,12})[^)]*\)_generation_(\d{1,9})\((?:sq)?(\d{0,12})[^)]*\)/;
const sglang = /^step\[([A-Z_]+)([^\]]*)\]/;
const capture = /^capture_(\d{1,9})_([A-Z_]+)$/;
const otherEngine = /^execute_[a-z]+_/;

const labelMax = 1_000; // characters; real ones stay under 100

export function stepMarkOf(label: string): StepMark | undefined {
  if (label.length > labelMax) return undefined;
  const mark = { profilerStep: -1, label, phase: "" as StepPhase, prefillRequests: 0, prefillTokens: 0, decodeRequests: 0, decodeTokens: 0, batch: 0 };
  let found = profiler.exec(label);
  if (found !== null) return { ...mark, profilerStep: Number(found[1]) };
  if ((found = vllm.exec(label)) !== null) {
    const [batch, prefillRequests, prefillTokens, decodeRequests, decodeTokens] = found.slice(1).map((digits) => Number(digits ?? 0)) as [number, number, number, number, number];
    const phase = prefillRequests > 0 ? (decodeRequests > 0 ? "mixed" : "prefill") : decodeRequests > 0 ? "decode" : "";
    return { ...mark, phase, prefillRequests, prefillTokens, decodeRequests, decodeTokens, batch };
  }
  if ((found = sglang.exec(label)) !== null) return sglangMark(mark, found[1]!, found[2]!);
  if ((found = capture.exec(label)) !== null) return { ...mark, phase: "capture", batch: Number(found[1]) };
  return otherEngine.test(label) ? mark : undefined;
}

// A decode step makes one token for each request; EXTEND is SGLang's prefill.
function sglangMark(mark: StepMark, mode: string, fields: string): StepMark {
  const field = (name: string): number => Number(new RegExp(`\\b${name}=(\\d{1,12})\\b`).exec(fields)?.[1] ?? 0);
  const [requests, tokens] = [field("bs"), field("toks")];
  if (mode === "EXTEND" || mode === "PREFILL") return { ...mark, phase: "prefill", prefillRequests: requests, prefillTokens: tokens };
  if (mode === "DECODE") return { ...mark, phase: "decode", decodeRequests: requests, decodeTokens: tokens || requests };
  return mode === "MIXED" ? { ...mark, phase: "mixed", batch: tokens } : mark;
}
