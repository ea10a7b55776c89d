// Where an exported profile comes from, in the words of the file's head.
export type ExportSource = {
  readonly title: string;
  readonly fromNs: bigint; // Unix ns; 0n = not known
  readonly durationNs: bigint; // 0n = not known
  readonly notes: readonly string[]; // one sentence each: what was selected, and how it is looked at
};
