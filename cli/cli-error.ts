// An error a person caused or can mend: printed without a stack, says what, where and how to fix it. Names of files and of what is in them are part of
// messages, so a message is shown on one line, printable; `beneath` holds further lines that are printable already.
import { printable } from "#core/printable.ts";

export class CliError extends Error {
  readonly code: string;
  readonly shown: string; // on a terminal
  constructor(message: string, code = "cli_error", beneath = "") {
    super(beneath === "" ? message : `${message}\n${beneath}`);
    this.name = "CliError";
    this.code = code;
    this.shown = beneath === "" ? printable(message) : `${printable(message)}\n${beneath}`;
  }
}
