// What `lamella workload` and the import of a benchmark show, for people; with --json the answers are printed instead.
import { basename } from "node:path";
import { printable } from "#core/printable.ts";
import { headlineOf } from "#core/workload/headline.ts";
import { loadText } from "#core/workload/load.ts";
import { reportText } from "#core/workload/report-text.ts";
import type { WorkloadReport, WorkloadRequests, WorkloadSummary } from "#schema/api/workloads.ts";
import type { ImportedWorkload } from "./import-workload.ts";
import { table } from "./output.ts";

type Listed = Pick<WorkloadSummary, "name" | "modelName" | "load" | "figures">;

const number = (value: number | null | undefined, digits: number) => (value === null || value === undefined ? "" : value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
const ms = (us: number | null | undefined) => number(us === null || us === undefined ? us : us / 1000, 2);

export function workloadsTable(workloads: readonly WorkloadSummary[]): string {
  const rows = workloads.map((one) => [one.id.slice(0, 12), ...runCells(one), one.importedAt.slice(0, 19).replace("T", " "), one.complete ? "" : `${one.parts.stored} of ${one.parts.of} parts`]);
  return table(["id", ...runHead, "imported (UTC)", ""], rows, runNumbers.map((column) => column + 1));
}

const runHead = ["run", "model", "load", "completed", "failed", "req/s", "output tok/s", "TTFT p50, ms", "p99", "TPOT p50, ms", "latency p50, ms", "p99", "from"];
const runNumbers = [3, 4, 5, 6, 7, 8, 9, 10, 11];

function runCells({ name, modelName, load, figures }: Listed): string[] {
  const { completed, failed, requestsPerS, outputTokensPerS, ttftP50Us, ttftP99Us, tpotP50Us, latencyP50Us, latencyP99Us, source } = figures;
  return [
    printable(name), printable(modelName), printable(loadText(load)), number(completed, 0), number(failed, 0),
    number(requestsPerS, 2), number(outputTokensPerS, 1), ms(ttftP50Us), ms(ttftP99Us), ms(tpotP50Us), ms(latencyP50Us), ms(latencyP99Us), source === "file" ? "the file" : "requests",
  ];
}

export function importedWorkloadsText(file: string, imported: readonly ImportedWorkload[]): string {
  const shown = printable(basename(file));
  const known = imported.filter((one) => one.alreadyImported).length;
  if (imported.length === 1) {
    const { workloadId, report } = imported[0]!;
    const id = workloadId.slice(0, 12);
    return `${shown}: ${known === 1 ? `already imported as ${id}. Use --again to store it once more.` : `imported as ${id}`}\n\n${reportText(report)}\n\nSee it: lamella workload show ${id}`;
  }
  const rows = imported.map(({ workloadId, report }) => [workloadId.slice(0, 12), ...reportCells(report)]);
  const state = known === 0 ? "imported" : known === imported.length ? "already imported" : `imported, ${known} of them before`;
  return `${shown}: ${imported.length} runs ${state}\n\n${table(["id", ...runHead], rows, runNumbers.map((column) => column + 1))}\n\nSee one: lamella workload show ID`;
}

// Of a file that was only read (--no-upload).
export function readWorkloadsText(file: string, reports: readonly WorkloadReport[]): string {
  const shown = printable(basename(file));
  if (reports.length === 1) return `${shown}: read, not uploaded\n\n${reportText(reports[0]!)}`;
  return `${shown}: ${reports.length} runs read, not uploaded\n\n${table(runHead, reports.map(reportCells), runNumbers)}`;
}

function reportCells(report: WorkloadReport): string[] {
  return runCells({ ...report, figures: headlineOf(report.stated, report.computed) });
}

export function requestsTable({ columns, errors, requests: of }: Pick<WorkloadRequests, "columns" | "errors" | "requests">): string {
  const { request, startUs, queueUs, prefillUs, ttftUs, decodeUs, tpotUs, latencyUs, inputTokens, outputTokens, itlP99Us, failed, error } = columns;
  const all: [string, (row: number) => string][] = [
    ["request", (row) => number(request[row], 0)], ["start, s", (row) => number(startUs[row] == null ? null : startUs[row] / 1e6, 3)], ["queue, ms", (row) => ms(queueUs[row])], ["prefill", (row) => ms(prefillUs[row])],
    ["TTFT, ms", (row) => ms(ttftUs[row])], ["decode", (row) => ms(decodeUs[row])], ["TPOT", (row) => ms(tpotUs[row])], ["ITL p99", (row) => ms(itlP99Us[row])], ["latency", (row) => ms(latencyUs[row])],
    ["input", (row) => number(inputTokens[row], 0)], ["output", (row) => number(outputTokens[row], 0)],
  ];
  const shown = all.filter(([, cell]) => request.some((_, row) => cell(row) !== ""));
  const rows = request.map((_, row) => [...shown.map(([, cell]) => cell(row)), failed[row] ? `failed${error[row] === 0 ? "" : `: ${printable(errors[error[row]!]!.trim().split("\n").at(-1)!.slice(0, 80))}`}` : ""]);
  const more = request.length < of ? `\n${number(request.length, 0)} of ${number(of, 0)} requests; --limit shows more, --csv all` : "";
  return `${table([...shown.map(([head]) => head), ""], rows, shown.map((_, i) => i))}${more}`;
}
