// What an engine measured, whatever file it came from: the same shape for Prometheus dumps and for time series. Values are in the units of schema/engine-metrics.ts,
// finite, and as the engine says them: counters count from the start of its process.

export type EngineSample = {
  readonly metric: string; // as stored: ours or the engine's own, a distribution in parts
  readonly cumulative: boolean; // counts up from the start of the process
  readonly engine: string; // "" = not known
  readonly modelName: string; // "" = not known
  readonly labels: string; // label-text.ts; the model is not among them
  readonly value: number;
};

export type Reading = {
  readonly atS: number | null; // seconds; null: the file does not say
  readonly samples: readonly EngineSample[];
};

export type MetricsFile = {
  readonly readings: readonly Reading[]; // by time
  readonly times: "unix" | "relative" | "none"; // relative: seconds from an unknown start
  readonly ownNames: readonly string[]; // of engines, outside the closed list, kept under them
  readonly notes: readonly string[]; // what was not taken as it was
};
