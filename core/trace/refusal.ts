// Why a file is not imported: what it is or lacks, in words a person would use, and where in it that shows.
export type Refusal = {
  readonly reason: string;
  readonly at: number; // byte (after gzip) the reason was found at; 0 = the file as a whole
  readonly is?: "benchmark" | "metrics" | "model" | "model-tree" | "trace"; // what Lamella takes it as: a benchmark result, engine metrics, a model configuration, a model's structure, a trace without the step asked for
};
