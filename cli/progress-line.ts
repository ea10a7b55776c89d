// One line on a terminal that says how far a file has been read, and how fast. Where stderr is no terminal (a log, a pipe) nothing is written.
import { printable } from "#core/printable.ts";

const linesPerSecond = 5;

export class ProgressLine {
  private readonly startedAt = performance.now();
  private readonly bytes: number;
  private readonly name: string;
  private shownAt = Number.NEGATIVE_INFINITY;

  // `bytes`: size of the file on disk.
  constructor(name: string, bytes: number) {
    this.name = printable(name);
    this.bytes = bytes;
  }

  read(bytes: number): void {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.shownAt < 1000 / linesPerSecond) return;
    this.shownAt = now;
    const seconds = Math.max(0.001, (now - this.startedAt) / 1000);
    const line = `reading ${this.name}: ${megabytes(bytes)} of ${megabytes(this.bytes)} MB (${Math.floor((100 * bytes) / Math.max(1, this.bytes))} %), ${megabytes(bytes / seconds)} MB/s`;
    process.stderr.write(`\r\x1b[2K${line}`);
  }

  end(): void {
    if (this.shownAt > Number.NEGATIVE_INFINITY) process.stderr.write("\r\x1b[2K");
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
