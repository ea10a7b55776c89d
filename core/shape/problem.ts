// Why a shape was refused. `code` is the quarantine's word for it, `detail` says which table, row and column, and what would be right.
import type { QuarantineCode } from "#schema/errors.ts";
import { limits, type Limit } from "#schema/limits.ts";

export interface ShapeProblem {
  code: Extract<QuarantineCode, "body_undecodable" | "limit_exceeded" | "shape_hash_mismatch">;
  detail: string;
}

export function undecodable(detail: string): ShapeProblem {
  return { code: "body_undecodable", detail };
}

export function overLimit(what: string, count: number, limit: Limit): ShapeProblem {
  return { code: "limit_exceeded", detail: `${what}: ${count} is over ${limit} = ${limits[limit]}` };
}
