// A failed request as the pages see it: the server's problem+json word for word, or a failure to reach it at all.
import type { Problem, TextProblem } from "#schema/api/problem.ts";

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly problems: readonly TextProblem[];

  constructor(problem: Omit<Problem, "type">) {
    super(`${problem.title}: ${problem.detail}`);
    this.name = "ApiError";
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.problems = problem.problems ?? [];
  }
}

// Any error as an ApiError, so that one component can show all of them. Status 0: no answer came.
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiError({ status: 0, code: "page_failed", title: "This page failed", detail, requestId: "" });
}
