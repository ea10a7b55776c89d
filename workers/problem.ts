// Errors: rich inside, few codes outside. Handlers throw ApiError; everything else becomes `internal` and its text stays in the log.
import { StoreError } from "#clickhouse/store-error.ts";
import type { TextProblem, Problem } from "#schema/api/problem.ts";
import { type ErrorCode, errors } from "#schema/errors.ts";
import { limits } from "#schema/limits.ts";

type Details = { readonly detail: string; readonly internal?: string; readonly problems?: readonly TextProblem[]; readonly retryAfterS?: number };

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: Details;
  constructor(code: ErrorCode, details: Details) {
    super(details.internal ?? details.detail);
    this.code = code;
    this.details = details;
  }
}

// One text for "no such tenant", "not your tenant" and "no such thing": another tenant's thing must be byte-equal to a missing one.
export function notFound(): ApiError {
  return new ApiError("not_found", { detail: "There is nothing here, or it is not yours to see. Check the address and the tenant of your token." });
}

const queryBudgetDetail =
  `All queries of this tenant together may take ${limits.querySecondsPerTenantPerMinuteMax} s of execution and read ${limits.queryRowsToReadPerTenantPerMinuteMax / 1e9} billion rows a minute, and have. ` +
  "It comes back within a minute. Narrow the time range or add a filter, so that each query takes less.";
const internalDetail = "The fault is ours. Quote the request id when you report it.";

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError) {
    const internal = `ClickHouse ${error.code}: ${error.message}`;
    if (error.kind === "heavy") return new ApiError("query_too_heavy", { detail: "The query went over its time, memory or row budget. Narrow the time range or add a filter.", internal });
    if (error.kind === "quota") return new ApiError("query_budget_spent", { detail: queryBudgetDetail, internal, retryAfterS: 60 });
    if (error.kind === "regex") return new ApiError("filter_regex_invalid", { detail: "The store refused the regular expression of a matches(). It takes RE2 syntax: no look-around, no back-references.", internal });
    if (error.kind === "busy") return new ApiError("store_unavailable", { detail: "The store runs as many queries at once as it may, or as many of this tenant. Try again shortly, with fewer at a time.", internal, retryAfterS: 5 });
    if (error.kind === "fault") return new ApiError("internal", { detail: internalDetail, internal });
    return new ApiError("store_unavailable", { detail: "The store does not answer at the moment. Nothing sent to us is lost; try again shortly.", internal, retryAfterS: 5 });
  }
  return new ApiError("internal", { detail: internalDetail, internal: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

export function problemResponse(thrown: unknown, requestId: string): Response {
  const error = asApiError(thrown);
  const { status, title } = errors[error.code];
  const body: Problem = {
    type: `/docs/errors#${error.code}`, title, status, code: error.code, detail: error.details.detail, requestId,
    ...(error.details.problems ? { problems: [...error.details.problems] } : {}),
  };
  const headers = new Headers({ "content-type": "application/problem+json" });
  if (error.details.retryAfterS !== undefined) headers.set("retry-after", String(error.details.retryAfterS));
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="lamella"');
  if (status >= 500) console.error(JSON.stringify({ level: "error", code: error.code, requestId, internal: error.message }));
  return new Response(JSON.stringify(body), { status, headers });
}
