// A ClickHouse error as its HTTP interface speaks it: a code in a header, a status, and a body "Code: N. DB::Exception: … (NAME)".
// Invariant: every failed request of the embedded server answers with one of these, so a client needs one error path for embedded and real servers.

export const exceptionNames = {
  36: "BAD_ARGUMENTS",
  48: "NOT_IMPLEMENTED",
  62: "SYNTAX_ERROR",
  164: "READONLY",
  201: "QUOTA_EXCEEDED",
  202: "TOO_MANY_SIMULTANEOUS_QUERIES",
  216: "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING",
  236: "ABORTED",
  307: "TOO_MANY_BYTES",
  354: "ZLIB_INFLATE_FAILED",
  394: "QUERY_WAS_CANCELLED",
  516: "AUTHENTICATION_FAILED",
  1000: "POCO_EXCEPTION",
  1001: "STD_EXCEPTION",
} as const;

export type ExceptionCode = keyof typeof exceptionNames;

// ClickHouse answers 500 for a code that has no better status.
const statuses: Readonly<Record<number, number>> = {
  27: 400, 36: 400, 38: 400, 41: 400, 43: 400, 53: 400, 62: 400, 69: 400, 70: 400, 72: 400, 117: 400, 130: 400, 456: 400, 457: 400,
  46: 404, 47: 404, 50: 404, 60: 404, 73: 404, 81: 404, 115: 404,
  48: 501, 159: 408, 164: 403, 202: 503, 236: 503, 307: 413, 497: 403, 516: 403,
};

export class ClickHouseException extends Error {
  readonly code: number;
  readonly status: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "ClickHouseException";
    this.code = code;
    this.status = statuses[code] ?? 500;
  }
}

// An error that the front raises itself, in the words of the engine's own ones.
export function exception(code: ExceptionCode, what: string): ClickHouseException {
  return new ClickHouseException(code, `Code: ${code}. DB::Exception: ${what} (${exceptionNames[code]})`);
}

// The engine reports by text only; the text opens with the code.
export function toClickHouseException(error: unknown): ClickHouseException {
  if (error instanceof ClickHouseException) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = /^Code: (\d+)\. /.exec(message)?.[1];
  return code ? new ClickHouseException(Number(code), message.trim()) : exception(1001, message);
}
