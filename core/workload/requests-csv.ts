// Requests as CSV (RFC 4180) for spreadsheets. An empty cell: the file does not give it. It is also printed to terminals, so control characters of error texts are escaped.
import type { RequestColumns } from "#schema/api/workloads.ts";
import { csvLine } from "../csv-line.ts";
import { printableLines } from "../printable.ts";

export const requestsCsvNames = {
  request: "request", startUs: "start_us", clientQueueUs: "client_queue_us", queueUs: "queue_us", prefillUs: "prefill_us", ttftUs: "ttft_us", decodeUs: "decode_us", tpotUs: "tpot_us",
  latencyUs: "latency_us", inputTokens: "input_tokens", outputTokens: "output_tokens", itlCount: "itl_count", itlP50Us: "itl_p50_us", itlP90Us: "itl_p90_us", itlP99Us: "itl_p99_us",
  itlMaxUs: "itl_max_us", failed: "failed", error: "error",
} as const satisfies Record<keyof RequestColumns, string>;

const names = Object.keys(requestsCsvNames) as (keyof RequestColumns)[];

export const requestsCsvHead = `${Object.values(requestsCsvNames).join(",")}\r\n`;

// Lines without the head, so that pages can follow one another.
export function requestsCsv(columns: RequestColumns, errors: readonly string[]): string {
  const value = (name: keyof RequestColumns, row: number) => (name === "error" ? printableLines(errors[columns.error[row]!]!) : (columns[name][row] ?? null));
  return columns.request.map((_, row) => csvLine(names.map((name) => value(name, row)))).join("");
}
