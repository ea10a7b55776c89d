// Benchmark files written as objects, and what is read from them.
import type { Requests } from "#core/workload/requests.ts";
import { requestColumns, type RequestRow } from "#core/workload/requests.ts";
import { readBenchmark } from "#core/workload/read-benchmark.ts";
import type { Workload } from "#core/workload/workload.ts";

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export function read(text: string): Workload[] {
  const result = readBenchmark(bytesOf(text));
  if (!result.ok) throw new Error(result.error.reason);
  return result.value;
}

export function readOne(document: unknown): Workload {
  const workloads = read(JSON.stringify(document));
  if (workloads.length !== 1) throw new Error(`${workloads.length} workloads`);
  return workloads[0]!;
}

export function refusal(text: string): string {
  const result = readBenchmark(bytesOf(text));
  if (result.ok) throw new Error("it was read");
  return result.error.reason;
}

// Requests written in ms; a failed one carries its error.
type Row = { start?: number; queue?: number; ttft?: number; latency?: number; input?: number; output?: number; gaps?: number[]; error?: string };

export function requestsOf(...rows: Row[]): Requests {
  const us = (ms: number | undefined) => (ms === undefined ? undefined : ms * 1000);
  return requestColumns(rows.map(({ start, queue, ttft, latency, input, output, gaps, error }): RequestRow => ({
    startUs: start === undefined ? undefined : (start + 1e6) * 1000, clientQueueUs: us(queue), ttftUs: us(ttft), latencyUs: us(latency), inputTokens: input, outputTokens: output,
    gapsUs: gaps?.map((gap) => gap * 1000), failed: error !== undefined, error,
  })));
}

// A column as ms, absent ones as "–", rounded so that a case reads like its file.
export const ms = (column: Float64Array): (number | "–")[] => Array.from(column, (us) => (Number.isNaN(us) ? "–" : Math.round(us) / 1000));
export const whole = (column: Float64Array): (number | "–")[] => Array.from(column, (value) => (Number.isNaN(value) ? "–" : value));
