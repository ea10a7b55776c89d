// What is told of a workload, as text: what the file states beside what its requests give, goodput, failures, the requests that stand for all, notes. Names and errors come
// from files, so nothing is written raw.
import type { WorkloadFigures, WorkloadGoodput, WorkloadReport } from "#schema/api/workloads.ts";
import { type WorkloadMetric, workloadMetricNames, workloadMetrics } from "#schema/workload-metrics.ts";
import { printable } from "#core/printable.ts";
import { plural } from "#core/quantity.ts";
import { table } from "#core/table.ts";
import { aggregateLines } from "./aggregate-text.ts";
import { totalNames } from "./figures.ts";
import { lastLineOf } from "./last-line.ts";
import { loadText } from "./load.ts";

export function reportText(report: WorkloadReport): string {
  const { failures, errors, representatives, aggregates, notes } = report;
  const failureRows = failures.map(({ error, requests }) => [count(requests), printable(lastLine(error))]);
  const sections = [
    headLines(report).join("\n"),
    metricsText(report),
    totalsText(report),
    report.goodput === null ? "" : goodputText(report.goodput, report.requests),
    representatives.length === 0 ? "" : table(["stands for", "request", "latency, ms", "TTFT, ms", "input", "output"], representatives.map((one) => [
      `${one.label} (p${one.percentile})`, count(one.request), ms(one.latencyUs), ms(one.ttftUs), count(one.inputTokens), count(one.outputTokens),
    ]), [1, 2, 3, 4, 5]),
    failures.length === 0 ? "" : `${table(["failed", "error"], failureRows, [0])}${errors > failures.length ? `\n${count(errors - failures.length)} more errors` : ""}`,
    aggregates.length === 0 ? "" : aggregateLines(aggregates).join("\n"),
    notes.length === 0 ? "" : ["notes", ...notes.map((note) => `  ${printable(note)}`)].join("\n"),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function headLines({ name, label, tool, toolVersion, engine, modelName, layers, load, requests, failed, startedAt, dateText }: WorkloadReport): string[] {
  const told = (parts: readonly string[]) => parts.filter((part) => part !== "").map(printable).join(" · ");
  const loadWords = loadText(load);
  const started = startedAt !== null ? `started ${startedAt.slice(0, 19).replace("T", " ")} UTC` : dateText === "" ? "start not known" : `dated ${dateText}`;
  return [
    `${printable(name)}  ${told([label, `${tool} ${toolVersion}`.trim(), engine, modelName, layers === null ? "" : `${count(layers)} layers`])}`,
    told([loadWords, requests === 0 ? "figures only" : `${plural(requests, "request", "requests")}, ${failed === 0 ? "none" : count(failed)} failed`, started]),
  ];
}

function metricsText({ stated, computed, latencyEstimated }: WorkloadReport): string {
  const there = workloadMetricNames.filter((name) => stated[name] !== undefined || computed?.[name] !== undefined);
  if (there.length === 0) return "There is no latency: no request completed, or the file does not give any.";
  const percentiles = [...new Set(there.flatMap((name) => [stated, computed ?? {}].flatMap((figures) => Object.keys(figures[name]?.percentiles ?? {}))))].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  const row = (name: WorkloadMetric, from: string, figures: WorkloadFigures | null, first: boolean) => {
    const statistics = figures?.[name];
    if (statistics === undefined) return [];
    const estimated = latencyEstimated && from === "requests" && ["latencyUs", "tpotUs", "decodeUs"].includes(name) ? " (estimated)" : "";
    const { n, mean, std, min, max } = statistics;
    return [[first ? workloadMetrics[name] : "", from + estimated, count(n), ms(mean), ms(std), ms(min), ...percentiles.map((percentile) => ms(statistics.percentiles[percentile])), ms(max)]];
  };
  const rows = there.flatMap((name) => [...row(name, "requests", computed, true), ...row(name, "the file", stated, computed?.[name] === undefined)]);
  return filledTable(["ms", "from", "n", "mean", "std", "min", ...percentiles, "max"], rows, 2);
}

const totalTitles: Record<(typeof totalNames)[number], string> = {
  durationS: "duration, s", completed: "completed", failed: "failed", inputTokens: "input tokens", outputTokens: "output tokens", requestsPerS: "requests/s", goodRequestsPerS: "good requests/s",
  inputTokensPerS: "input tokens/s", outputTokensPerS: "output tokens/s", totalTokensPerS: "tokens/s", peakOutputTokensPerS: "peak output tokens/s", meanConcurrency: "at once, mean",
  peakConcurrency: "at once, peak",
};

function totalsText({ stated, computed }: WorkloadReport): string {
  const rows = totalNames.map((name) => [totalTitles[name], amount(computed?.[name]), amount(stated[name])]).filter(([, ...cells]) => cells.some((cell) => cell !== ""));
  return rows.length === 0 ? "" : filledTable(["", "requests", "the file"], rows, 1);
}

// Without the columns that no row fills. Numbers from this column on.
function filledTable(head: readonly string[], rows: readonly (readonly string[])[], numbersFrom: number): string {
  const filled = head.map((_, column) => column).filter((column) => rows.some((row) => row[column] !== ""));
  const of = (row: readonly string[]) => filled.map((column) => row[column]!);
  return table(of(head), rows.map(of), filled.flatMap((column, place) => (column >= numbersFrom ? [place] : [])));
}

function goodputText({ limits, good, failed, notJudged, missed, share, goodPerS }: WorkloadGoodput, requests: number): string {
  const asked = ([["TTFT", limits.ttftMs, missed.ttft], ["TPOT", limits.tpotMs, missed.tpot], ["latency", limits.e2eMs, missed.e2e]] as const).filter(([, limit]) => limit !== null);
  const rate = goodPerS === null ? "" : `, ${amount(goodPerS)} requests/s`;
  const told = `${count(good)} of ${count(requests - notJudged)} requests${share === null ? "" : ` (${(100 * share).toFixed(1)} %)`}${rate}`;
  if (asked.length === 0) return `goodput  ${told}, without a limit: set some with --ttft-ms, --tpot-ms, --e2e-ms`;
  const over = [...asked.map(([metric, , requestsOver]) => `${count(requestsOver)} over the ${metric}`), `${count(failed)} failed`, ...(notJudged > 0 ? [`${count(notJudged)} cannot be judged`] : [])];
  return `goodput  ${asked.map(([metric, limit]) => `${metric} ≤ ${amount(limit!)} ms`).join(", ")}: ${told} · ${over.join(" · ")}`;
}

function lastLine(error: string): string {
  const line = lastLineOf(error);
  return line === "" ? "(failed without a word)" : line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function ms(us: number | null | undefined): string {
  return us === null || us === undefined ? "" : (us / 1000).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function count(n: number | null | undefined): string {
  return n === null || n === undefined ? "" : n.toLocaleString("en-US");
}

function amount(value: number | undefined): string {
  return value === undefined ? "" : value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}
