// The requests of one workload: pages of them, and what is asked of all. NULL = the file does not give it. The meaning of each question is that of core/workload, which
// answers it for a file that is only read.
import { z } from "zod";
import type { Query } from "./client.ts";

const newestRequests = "(SELECT * FROM workload_requests WHERE tenant_id = {tenant:String} AND workload_id = {id:String} ORDER BY stored_at DESC LIMIT 1 BY request)";

const decodeUs = "if(latency_us >= ttft_us, toInt64(latency_us) - toInt64(ttft_us), NULL)";
const tpotUs = `if(output_tokens > 1, ${decodeUs} / (output_tokens - 1), NULL)`;

// What a page shows and sorts by. As Float64: exact up to 2^53, and JSON writes it without quotes.
const columns = {
  request: "request", startUs: "start_us", clientQueueUs: "client_queue_us", queueUs: "queue_us", prefillUs: "prefill_us", ttftUs: "ttft_us", decodeUs, tpotUs, latencyUs: "latency_us",
  inputTokens: "input_tokens", outputTokens: "output_tokens", itlCount: "itl_count", itlP50Us: "itl_p50_us", itlP90Us: "itl_p90_us", itlP99Us: "itl_p99_us", itlMaxUs: "itl_max_us",
} as const;

export type RequestsSort = { readonly column: keyof typeof columns | "failed"; readonly descending: boolean };

const number = z.number().nullable();
const requestRow = z.object({
  request: z.number(), startUs: number, clientQueueUs: number, queueUs: number, prefillUs: number, ttftUs: number, decodeUs: number, tpotUs: number, latencyUs: number, inputTokens: number,
  outputTokens: number, itlCount: z.number(), itlP50Us: number, itlP90Us: number, itlP99Us: number, itlMaxUs: number, failed: z.boolean(), errorId: z.string(), spikeAtUs: z.array(z.number()),
  spikeGapUs: z.array(z.number()),
});

const errorId = "if(error = '', '', hex(sipHash128(error)))";

// By offset: the requests of a complete workload never change.
export type RequestsPage = { readonly sort: RequestsSort; readonly offset: number; readonly limit: number };

function pageSql({ sort: { column, descending } }: RequestsPage): string {
  const key = column === "failed" ? "failed" : columns[column];
  return `FROM ${newestRequests}\nORDER BY ${key} ${descending ? "DESC" : "ASC"} NULLS LAST, request LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
}

// Error texts are asked for apart, each once (errorsOf): a run of which all requests failed can repeat a traceback of 16 kB 20,000 times.
export function requestsOf(id: string, page: RequestsPage): Query & { row: typeof requestRow } {
  const shown = Object.entries(columns).map(([name, expression]) => `toFloat64(${expression}) AS ${name}`);
  return {
    sql: `
SELECT ${shown.join(", ")}, failed, ${errorId} AS errorId, arrayMap(us -> toFloat64(us), spike_at_us) AS spikeAtUs, arrayMap(us -> toFloat64(us), spike_gap_us) AS spikeGapUs
${pageSql(page)}`,
    params: { id, limit: page.limit, offset: page.offset },
    row: requestRow,
  };
}

export type GoodputLimitsUs = { readonly ttft?: number | undefined; readonly tpot?: number | undefined; readonly e2e?: number | undefined };

const goodputRow = z.object({ good: z.coerce.number(), not_judged: z.coerce.number(), missed_ttft: z.coerce.number(), missed_tpot: z.coerce.number(), missed_e2e: z.coerce.number() });

// One row. An answer of one token has no TPOT and keeps that limit.
export function goodputOf(id: string, limitsUs: GoodputLimitsUs): Query & { row: typeof goodputRow } {
  const measured = { ttft: "ttft_us", tpot: `if(output_tokens <= 1, 0, ${tpotUs})`, e2e: "latency_us" };
  const asked = (Object.keys(measured) as (keyof typeof measured)[]).filter((name) => limitsUs[name] !== undefined);
  const over = (name: keyof typeof measured) => (asked.includes(name) ? `ifNull(${measured[name]} > {${name}:Float64}, false)` : "false");
  const any = (conditions: readonly string[]) => (conditions.length === 0 ? "false" : `(${conditions.join(" OR ")})`);
  const [missed, unknown] = [any(asked.map(over)), any(asked.map((name) => `isNull(${measured[name]})`))];
  const counts = [`NOT ${missed} AND NOT ${unknown}`, `NOT ${missed} AND ${unknown}`, over("ttft"), over("tpot"), over("e2e")].map((condition) => `countIf(NOT failed AND ${condition})`);
  return {
    sql: `SELECT ${counts.map((count, i) => `${count} AS ${Object.keys(goodputRow.shape)[i]!}`).join(", ")}\nFROM ${newestRequests}`,
    params: { id, ...Object.fromEntries(asked.map((name) => [name, limitsUs[name]!])) },
    row: goodputRow,
  };
}

const representativeRow = z.object({ percentile: z.number(), request: z.number(), latencyUs: z.number(), ttftUs: number, inputTokens: number, outputTokens: number });

// A row per percentile of latency among the requests that did not fail, by nearest rank; none without a latency.
export function representativesOf(id: string, percentiles: readonly number[]): Query & { row: typeof representativeRow } {
  return {
    sql: `
SELECT percentile, request, toFloat64(latency_us) AS latencyUs, toFloat64(ttft_us) AS ttftUs, input_tokens AS inputTokens, output_tokens AS outputTokens
FROM (
  SELECT request, latency_us, ttft_us, input_tokens, output_tokens, row_number() OVER (ORDER BY latency_us, request) AS rank, count() OVER () AS completed
  FROM ${newestRequests} WHERE NOT failed AND isNotNull(latency_us)
) ARRAY JOIN arrayMap(text -> toUInt8(text), {percentiles:Array(String)}) AS percentile
WHERE rank = intDiv(percentile * completed + 99, 100) ORDER BY percentile`,
    params: { id, percentiles: percentiles.map(String) },
    row: representativeRow,
  };
}

const errorRow = z.object({ id: z.string(), error: z.string() });

// The error texts of a page by their errorId, each once; the empty one is left out. The page is asked for again: 20,000 ids are more than one parameter of a query holds.
export function errorsOf(id: string, page: RequestsPage): Query & { row: typeof errorRow } {
  return { sql: `SELECT DISTINCT ${errorId} AS id, error FROM (SELECT error ${pageSql(page)}) WHERE error != ''`, params: { id, limit: page.limit, offset: page.offset }, row: errorRow };
}

const failureRow = z.object({ error: z.string(), requests: z.coerce.number(), errors: z.coerce.number() });

// The most frequent errors; each row says how many distinct ones there are.
export function failuresOf(id: string, limit: number): Query & { row: typeof failureRow } {
  return {
    sql: `SELECT error, count() AS requests, count() OVER () AS errors FROM ${newestRequests} WHERE failed GROUP BY error ORDER BY requests DESC, error LIMIT {limit:UInt32}`,
    params: { id, limit },
    row: failureRow,
  };
}
