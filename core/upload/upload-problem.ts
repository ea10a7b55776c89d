// Why an upload is refused: a code of schema/errors.ts, and a sentence that says which table, row and column, and what would be right.
import { type Limit, limits } from "#schema/limits.ts";

export type UploadProblem = { readonly code: "body_undecodable" | "limit_exceeded" | "shape_hash_mismatch"; readonly detail: string };

export const undecodable = (detail: string): UploadProblem => ({ code: "body_undecodable", detail });
export const over = (what: string, found: number, limit: Limit): UploadProblem => ({ code: "limit_exceeded", detail: `${what}: ${found} is over the bound of ${limits[limit]} (${limit})` });
export const outside = (what: string, at: number, bounds: string): UploadProblem => ({ code: "limit_exceeded", detail: `${what} is Unix second ${at}, outside what is accepted (${bounds}); check the clock` });

export class Refusal extends Error {
  readonly problem: UploadProblem;
  constructor(code: UploadProblem["code"], detail: string) {
    super(detail);
    this.problem = { code, detail };
  }
}

export function refuse(detail: string): never {
  throw new Refusal("body_undecodable", detail);
}

export function exceed(what: string, found: number | bigint, limit: string, bound: number): never {
  throw new Refusal("limit_exceeded", `${what}: ${found} is over the bound of ${bound} (${limit}); send it in more, smaller uploads`);
}
