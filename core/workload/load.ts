// How the benchmark sent its requests, as far as its file says.

export type Load = {
  requestsPerS?: number | undefined; // Infinity = all at once
  maxConcurrency?: number | undefined;
  requests?: number | undefined; // asked for
  inputTokens?: number | undefined; // per request, asked for
  outputTokens?: number | undefined;
  strategy?: string | undefined; // the tool's word: "constant", "poisson", "concurrency_burst"
};

// "4 req/s · at most 128 at once · 1,024 → 512 tokens": tells the runs of one file apart. "" when the file says nothing. A rate is as a file gives it, or as the API ("inf").
export function loadText({ requestsPerS, maxConcurrency, inputTokens, outputTokens, strategy }: Omit<Load, "requestsPerS"> & { requestsPerS?: number | "inf" | undefined }): string {
  const count = (n: number) => n.toLocaleString("en-US");
  const words: string[] = [];
  if (strategy !== undefined && strategy !== "") words.push(strategy);
  if (requestsPerS === Number.POSITIVE_INFINITY || requestsPerS === "inf") words.push("no rate limit");
  else if (requestsPerS !== undefined) words.push(`${count(requestsPerS)} req/s`);
  if (maxConcurrency !== undefined) words.push(`at most ${count(maxConcurrency)} at once`);
  if (inputTokens !== undefined && outputTokens !== undefined) words.push(`${count(inputTokens)} → ${count(outputTokens)} tokens`);
  return words.join(" · ");
}
