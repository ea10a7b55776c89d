// Traces written as calls and kernels, and executions printed as text, so that a test is a picture of its case. Times are microseconds, as in the files.
import type { Execution, ModuleFrameName } from "#core/trace/execution.ts";
import { importCapture, importTrace } from "#core/trace/import-trace.ts";
import type { CapturedGraph } from "#core/trace/link/captured-graphs.ts";

type Event = { [key: string]: unknown };
type Span = [start: number, end: number];
export type Where = { pid?: number; tid?: number };

const call = (cat: string, name: string, [start, end]: Span, args: object, { pid = 1, tid = 1 }: Where): Event => ({ ph: "X", cat, name, pid, tid, ts: start, dur: Math.round((end - start) * 1000) / 1000, args });

export const op = (name: string, span: Span, where: Where = {}): Event => call("cpu_op", name, span, { "External id": 1 }, where);
// An operator that records autograd node `number`, and the engine's call that computes its gradient; `arrow` draws the profiler's line between them.
export const recorded = (name: string, span: Span, number: number, where: Where = {}): Event => call("cpu_op", name, span, { "Sequence number": number, "Fwd thread id": 0 }, where);
export const gradient = (name: string, span: Span, number: number, where: Where & { forwardThread?: number } = {}): Event =>
  call("cpu_op", `autograd::engine::evaluate_function: ${name}`, span, { "Sequence number": number, "Fwd thread id": where.forwardThread ?? 1 }, { tid: 9, ...where });
export const accumulation = (span: Span, where: Where = {}): Event => call("cpu_op", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", span, {}, { tid: 9, ...where });
export const arrow = (id: number, from: number, to: number, { fromThread = 1, toThread = 9 } = {}): Event[] => [
  { ph: "s", cat: "fwdbwd", name: "fwdbwd", id, pid: 1, tid: fromThread, ts: from }, { ph: "f", cat: "fwdbwd", name: "fwdbwd", bp: "e", id, pid: 1, tid: toThread, ts: to },
];
export const python = (name: string, span: Span, ids: [id: number, parent: number] | [] = [], where: Where = {}): Event =>
  call("python_function", name, span, ids.length === 0 ? {} : { "Python id": ids[0], "Python parent id": ids[1] }, where);
export const module = (name: string, span: Span, ids: [id: number, parent: number] | [] = [], where: Where = {}): Event => python(`nn.Module: ${name}`, span, ids, where);
export const launch = (correlation: number, span: Span, name = "cudaLaunchKernel", where: Where & { cat?: string } = {}): Event =>
  call(where.cat ?? "cuda_runtime", name, span, { correlation, "External id": 7 }, where);
export const kernel = (correlation: number, span: Span, name = "gemm", args: object = {}): Event => call("kernel", name, span, { correlation, device: 0, ...args }, { pid: 0, tid: 7 });
export const annotation = (name: string, span: Span): Event => call("user_annotation", name, span, {}, {});

export function bytesOf(document: unknown): Uint8Array {
  return new TextEncoder().encode(typeof document === "string" ? document : JSON.stringify(document));
}

const frameName: ModuleFrameName = ({ path, className, modelName }) => `${className} ${path || modelName}`;

export async function captureOf(...events: Event[]): Promise<CapturedGraph[]> {
  const result = await importCapture([bytesOf({ traceEvents: events })], { frameName });
  if (!result.ok) throw new Error(result.error.reason);
  return result.value;
}

export async function importDocument(document: unknown, options: { captures?: CapturedGraph[]; step?: number } = {}): Promise<Execution> {
  const result = await importTrace([bytesOf(document)], { frameName, ...options });
  if (!result.ok) throw new Error(result.error.reason);
  return result.value;
}

export const importEvents = (...events: Event[]): Promise<Execution> => importDocument({ traceEvents: events });

// One line per sample: frames root first, "kind:name" with the kind left out for layers, then value, count and step.
export function samplesText({ frames, stacks, samples }: Execution): string[] {
  const kinds: Record<string, string> = { layer: "", python: "py:", op: "op:", gpu_api: "call:", gpu_kernel: "gpu:", nvtx: "range:" };
  return samples.map(({ stack, value, count, step }) => {
    const path = [...stacks[stack]!].map((frame) => `${kinds[frames[frame]!.kind]}${frames[frame]!.name}`).join(" > ");
    return `${path} | ${value} ns × ${count}${step > 0 ? ` step ${step}` : ""}`;
  });
}
