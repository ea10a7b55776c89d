// The requests of a workload, page by page, in columns or as CSV.
import { errorsOf, requestsOf } from "#clickhouse/workload-requests.ts";
import { requestsCsv, requestsCsvHead } from "#core/workload/requests-csv.ts";
import type { RequestColumn, RequestSort, WorkloadRequests } from "#schema/api/workloads.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";
import { type AnyContext, type Handler, rowsOf } from "../route-context.ts";
import { completeWorkload, noCursor } from "./workloads.ts";

export const workloadRequests: Handler<"workloadRequests"> = async (context) => {
  const { sort, limit, cursor, format } = context.query;
  const { workload_id: id, requests } = await completeWorkload(context, context.params.id);
  const offset = offsetOf(cursor, sort);
  const descending = sort.startsWith("-");
  const page = { sort: { column: (descending ? sort.slice(1) : sort) as RequestColumn, descending }, offset, limit };
  const rows = await rowsOf(context, requestsOf(id, page), "requests");
  const errorIds = ["", ...new Set(rows.map(({ errorId }) => errorId).filter((errorId) => errorId !== ""))];
  const texts = new Map(errorIds.length === 1 ? [] : (await rowsOf(context, errorsOf(id, page), "errors")).map((one) => [one.id, one.error]));
  const errorRows = new Map(errorIds.map((errorId, row) => [errorId, row]));
  const errors = errorIds.map((errorId) => texts.get(errorId) ?? "");
  const column = <K extends keyof (typeof rows)[number]>(name: K) => rows.map((row) => row[name]);
  const columns: WorkloadRequests["columns"] = {
    request: column("request"), startUs: column("startUs"), clientQueueUs: column("clientQueueUs"), queueUs: column("queueUs"), prefillUs: column("prefillUs"), ttftUs: column("ttftUs"),
    decodeUs: column("decodeUs"), tpotUs: column("tpotUs"), latencyUs: column("latencyUs"), inputTokens: column("inputTokens"), outputTokens: column("outputTokens"), itlCount: column("itlCount"),
    itlP50Us: column("itlP50Us"), itlP90Us: column("itlP90Us"), itlP99Us: column("itlP99Us"), itlMaxUs: column("itlMaxUs"), failed: column("failed"), error: rows.map(({ errorId }) => errorRows.get(errorId)!),
  };
  const next = offset + rows.length < requests && rows.length > 0 ? `${sort}~${offset + rows.length}` : null;
  if (format === "csv") return csvPage(context, (offset === 0 ? requestsCsvHead : "") + csvOf(columns, errors), next);
  const spikes = rows.flatMap(({ spikeAtUs, spikeGapUs }, row) => spikeAtUs.map((atUs, i) => ({ row, atUs, gapUs: spikeGapUs[i]! })));
  return { requests, columns, errors, spikes: { row: spikes.map(({ row }) => row), atUs: spikes.map(({ atUs }) => atUs), gapUs: spikes.map(({ gapUs }) => gapUs) }, next };
};

// CSV repeats a text in every row.
function csvOf(columns: WorkloadRequests["columns"], errors: readonly string[]): string {
  const characters = columns.error.reduce((sum, error) => sum + errors[error]!.length, 0);
  if (characters > limits.csvErrorCharactersMax) throw new ApiError("limit_exceeded", { detail: `The error texts of this page have ${characters} characters as CSV, over the bound of ${limits.csvErrorCharactersMax} (csvErrorCharactersMax); ask for fewer requests with \`limit\`, or for JSON.` });
  return requestsCsv(columns, errors);
}

// Only the first page has the head, so that pages written one after the other are one file.
function csvPage(context: AnyContext, text: string, next: string | null): Response {
  const headers: Record<string, string> = { "content-type": "text/csv; charset=utf-8; header=present", "cache-control": "no-store" };
  if (next !== null) {
    const url = new URL(context.request.url);
    url.searchParams.set("cursor", next);
    headers.link = `<${url.pathname}${url.search}>; rel="next"`;
  }
  return new Response(text, { headers });
}

// "-latencyUs~1000": where the page before ended in its own order.
function offsetOf(text: string | undefined, sort: RequestSort): number {
  if (text === undefined) return 0;
  const [, ofSort, offset] = /^(-?[a-zA-Z0-9]+)~(\d{1,9})$/.exec(text) ?? [];
  if (offset === undefined) throw noCursor();
  if (ofSort !== sort) throw new ApiError("parameter_invalid", { detail: `\`cursor\` is of requests sorted by "${ofSort}", and these are sorted by "${sort}". Begin again without it.` });
  return Number(offset);
}
