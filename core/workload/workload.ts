// What a serving benchmark becomes: its requests, the figures its file states, the same figures computed from the requests, and what a person must know to trust them.
import { limits } from "#schema/limits.ts";
import { workloadMetrics } from "#schema/workload-metrics.ts";
import type { BenchmarkFormat } from "./benchmark-format.ts";
import { measuredFigures, possibleFigures, type Figures } from "./figures.ts";
import { compareFigures, type Definitions } from "./compare-figures.ts";
import { computeFigures } from "./compute-figures.ts";
import { lastLineOf } from "./last-line.ts";
import type { Load } from "./load.ts";
import { requestColumns, type Requests } from "./requests.ts";

export type Workload = {
  format: BenchmarkFormat;
  tool: string; // shown, e.g. "vllm bench serve"
  toolVersion: string; // "" = the file does not say
  label: string; // the person's own name of the run; "" = none
  engine: string; // "vllm", "sglang"; "" = the file does not say
  modelName: string; // "" likewise
  startedAtS: number | undefined; // Unix seconds of the first request, with fraction; undefined = the file has no absolute time
  dateText: string; // the file's date where it names no time zone or no start; "" = none
  load: Load;
  requests: Requests; // n = 0 when the file has only figures
  stated: Figures;
  computed: Figures | undefined; // undefined without requests
  notes: string[]; // one sentence each
};

// What a reader of a format found; the rest follows from it.
export type WorkloadParts = Omit<Workload, "computed" | "requests"> & { requests?: Requests | undefined; definitions: Definitions };

const secondsMax = 2 ** 32; // what 32 bits hold; a later start is no time

export function workloadOf({ definitions, requests = requestColumns([]), ...parts }: WorkloadParts): Workload {
  const written = possibleFigures(parts.stated);
  const { figures: stated, unmeasured } = measuredFigures(written.figures);
  const made = requests.n === 0 ? undefined : possibleFigures(computeFigures(requests, stated.durationS));
  const computed = made?.figures;
  const load = Object.fromEntries(Object.entries(parts.load).filter(([name, value]) => typeof value !== "number" || Math.abs(value) <= limits.measuredValueMax || (name === "requestsPerS" && value === Number.POSITIVE_INFINITY))) as Load;
  const impossible = written.impossible + (made?.impossible ?? 0) + Object.keys(parts.load).length - Object.keys(load).length;
  const notes = [...parts.notes, ...failureNotes(stated, requests)];
  if (impossible > 0) notes.push(`Figures that cannot be (over ${limits.measuredValueMax}, or a count that is not whole), left out: ${impossible.toLocaleString("en-US")}`);
  if (unmeasured.length > 0) notes.push(`The file states 0 for ${unmeasured.map((name) => workloadMetrics[name]).join(", ")}: nothing was measured, so it is left out`);
  if (computed === undefined) notes.push("The file has figures only, no requests: percentiles are the file's own, distributions and goodput are not known");
  else {
    if (requests.impossible > 0) notes.push(`Numbers of requests that cannot be (below 0, over 115 days or 2^32 tokens, a TTFT over the latency), read as absent: ${requests.impossible.toLocaleString("en-US")}`);
    if (requests.startUs.every(Number.isNaN)) notes.push("The file has no start times of requests: when they ran and how many ran at once is not known");
    if (requests.latencyEstimated) notes.push("The file has no latency of requests: it is estimated as TTFT plus the gaps between tokens, which leaves out the time after the last token");
    notes.push(...compareFigures(stated, computed, definitions, requests.latencyEstimated));
  }
  const startedAtS = parts.startedAtS !== undefined && parts.startedAtS > 0 && parts.startedAtS < secondsMax ? parts.startedAtS : undefined;
  return { ...parts, load, startedAtS, requests, stated, computed, notes };
}

function failureNotes(stated: Figures, requests: Requests): string[] {
  const failedRows = requests.errors.filter((_, row) => requests.failed[row] === 1);
  const failed = requests.n === 0 ? (stated.failed ?? 0) : failedRows.length;
  const all = requests.n === 0 ? failed + (stated.completed ?? 0) : requests.n;
  if (failed === 0) return [];
  const counts = new Map<string, number>();
  for (const error of failedRows) counts.set(error, (counts.get(error) ?? 0) + 1);
  const [most = ""] = [...counts].filter(([error]) => error !== "").sort((a, b) => b[1] - a[1])[0] ?? [];
  const said = lastLineOf(most);
  const mostOften = said === "" ? "" : `; most often: ${said.length > 200 ? `${said.slice(0, 200)}…` : said}`;
  return [`${failed.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} requests failed${mostOften}`];
}
