// Bounds of the trace reader: what it holds in memory at once. Going over one skips that value, counted and with its position.

export const readerLimits = {
  traceValueBytesMax: 16 * 1024 * 1024, // one event, or one metadata value we read; real ones stay under 1 MB
  traceNestingMax: 512, // brackets inside one value; real ones stay under 10
  stretchCallsMin: 100_000, // events of a large trace linked at once, at least: some 10 MB
} as const;
