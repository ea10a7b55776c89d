// True for errors that the filter bar itself explains.
import type { ApiError } from "./api-error.ts";

export function isFilterProblem(error: ApiError | null): boolean {
  return error !== null && error.code.startsWith("filter_");
}
