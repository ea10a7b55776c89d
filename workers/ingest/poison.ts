// An upload that can never be stored: it goes into quarantine with its code, and no retry is made.
import type { QuarantineCode } from "#schema/errors.ts";

export class Poison extends Error {
  readonly code: QuarantineCode;
  constructor(code: QuarantineCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
