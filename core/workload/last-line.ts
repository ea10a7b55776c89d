// Errors are often Python tracebacks: their last line says what happened. "" = failed without a word.
export function lastLineOf(error: string): string {
  return error.trim().split("\n").at(-1)!.trim();
}
