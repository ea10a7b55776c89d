// The whole list of error codes the HTTP API speaks. `type` of a problem is `/docs/errors#<code>`; docs/errors.md explains each one.
// `title` is the sentence a person reads first; `detail` (set where it happens) says what, where and how to fix it.

export const errors = {
  token_missing: { status: 401, title: "No token was sent" },
  token_invalid: { status: 401, title: "The token is not valid" },
  session_invalid: { status: 401, title: "The sign-in has expired or was never completed" },
  scope_missing: { status: 403, title: "The token lacks a scope" },
  role_missing: { status: 403, title: "Your role in this tenant does not allow it" },
  flag_off: { status: 403, title: "The feature is switched off for this tenant" },
  origin_forbidden: { status: 403, title: "The request came from another site" },
  not_found: { status: 404, title: "Not found" },
  model_not_found: { status: 404, title: "No such model" },
  shape_not_stored: { status: 404, title: "Shape not stored yet" },
  record_not_stored: { status: 404, title: "The execution has no record" },
  module_not_found: { status: 404, title: "No such module" },
  method_not_allowed: { status: 405, title: "This path does not take that method" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body's type or encoding is not supported" },
  body_undecodable: { status: 400, title: "The body could not be decoded" },
  filter_syntax: { status: 400, title: "The filter could not be read" },
  filter_field_unsupported: { status: 400, title: "Unsupported filter field" },
  filter_regex_invalid: { status: 400, title: "The regular expression is not valid" },
  search_invalid: { status: 400, title: "The search could not be read" },
  time_range_invalid: { status: 400, title: "The time range is not valid" },
  parameter_invalid: { status: 400, title: "A parameter is not valid" },
  conflict: { status: 409, title: "It changed meanwhile or exists already" },
  limit_exceeded: { status: 422, title: "A limit was exceeded" },
  query_too_heavy: { status: 422, title: "The query is too heavy" },
  query_budget_spent: { status: 429, title: "The tenant's queries have used their budget" },
  rate_limited: { status: 429, title: "Too many requests" },
  store_unavailable: { status: 503, title: "The store does not answer" },
  internal: { status: 500, title: "Something went wrong on our side" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errors;

// Why an upload was put into quarantine instead of the store: the closed list `lamella quarantine list` shows.
export const quarantineCodes = {
  body_undecodable: "the body is not a valid message of its kind",
  body_missing: "the stored body is gone",
  limit_exceeded: "the body exceeds a bound of schema/limits.ts",
  shape_hash_mismatch: "the hash sent with the shape is not the hash of its canonical text",
  part_contradicts: "other parts of the execution say another number of parts",
  store_refused: "the store refused the rows: a fault of ours, the data is fine",
  retries_exhausted: "every retry failed",
} as const;

export type QuarantineCode = keyof typeof quarantineCodes;
