// Kernel names the file cuts at 80 characters → the whole name, where its summary of kernels has it. The summary ends after 30: from there on another kernel
// may begin with the same 80 characters, so a name is completed only where the summary is whole and one of its names fits.
import type { ModelExecutionFile } from "./model-execution-file.ts";

export const nameCharactersMax = 80;
export const summaryKernelsMax = 30;

export class KernelNames {
  private readonly whole: readonly string[];
  private readonly complete: boolean;
  private readonly known = new Map<string, string | undefined>(); // undefined: cut for good

  constructor(summary: ModelExecutionFile["kernel_summary"]) {
    this.whole = summary === null || typeof summary !== "object" ? [] : Object.keys(summary);
    this.complete = this.whole.length > 0 && this.whole.length < summaryKernelsMax;
  }

  of(written: string): string {
    if (!this.known.has(written)) this.known.set(written, this.wholeName(written));
    return this.known.get(written) ?? written;
  }

  // Different names that stay cut.
  get cut(): number {
    return [...this.known.values()].filter((name) => name === undefined).length;
  }

  private wholeName(written: string): string | undefined {
    const marked = written.length === nameCharactersMax + 3 && written.endsWith("...");
    if ((!marked && written.length !== nameCharactersMax) || this.whole.includes(written)) return written;
    const begin = written.slice(0, nameCharactersMax);
    const fitting = this.whole.filter((name) => name.startsWith(begin));
    return this.complete && fitting.length === 1 ? fitting[0] : undefined;
  }
}
