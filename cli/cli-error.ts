// An error a person caused or can mend: printed without a stack, says what, where and how to fix it.
export class CliError extends Error {
  readonly code: string;
  constructor(message: string, code = "cli_error") {
    super(message);
    this.name = "CliError";
    this.code = code;
  }
}
