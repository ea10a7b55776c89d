// Which time series a file is, from its first bytes.
import { decodeUtf8 } from "#core/utf8.ts";

export const timeseriesKinds = { "vllm-csv": "vLLM metrics over time (CSV)", "nvidia-smi-csv": "nvidia-smi over time (CSV)", "vllm-log": "vLLM server log" } as const;
export type TimeseriesKind = keyof typeof timeseriesKinds;

export function timeseriesKind(head: Uint8Array): TimeseriesKind | null {
  const lines = decodeUtf8(head).split("\n");
  const columns = (lines[0] ?? "").split(",").map((column) => column.trim().replace(/\s*\[.*\]$/, "").replace(/^vllm:/, ""));
  if (columns[0] === "time" || columns[0] === "timestamp") {
    if (columns.includes("utilization.gpu") || columns.includes("memory.used")) return "nvidia-smi-csv";
    if (columns.some((column) => /^(num_requests_running|generation_tokens_total|(gpu|kv)_cache_usage_perc)$/.test(column))) return "vllm-csv";
  }
  return lines.some((line) => logHead.test(line)) ? "vllm-log" : null;
}

// "(APIServer pid=41) INFO 02-21 20:06:59 [loggers.py:116] …", or in older versions "INFO 02-21 20:06:59 metrics.py:360] …".
export const logHead = /^(?:\([^)]*\)\s*)?(?:DEBUG|INFO|WARNING|ERROR) (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) \[?[\w./]+\.py:\d+\]/;
