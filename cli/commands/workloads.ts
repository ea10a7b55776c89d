// workload list, show, requests: runs of serving benchmarks.
import type { Command } from "commander";
import { reportText } from "#core/workload/report-text.ts";
import { requestsCsv, requestsCsvHead } from "#core/workload/requests-csv.ts";
import { workloadData } from "#core/workload/workload-data.ts";
import { requestColumnNames, type RequestColumns } from "#schema/api/workloads.ts";
import { limits } from "#schema/limits.ts";
import type { Api } from "../api.ts";
import { CliError } from "../cli-error.ts";
import { everyWorkload, findWorkload } from "../find-workload.ts";
import { apiOf, type Globals, outputOf } from "../globals.ts";
import { print } from "../output.ts";
import { requestsTable, workloadsTable } from "../workload-views.ts";

const which = "latest, or 8 digits of its id";

export function workloadCommands(program: Command, globals: () => Globals): void {
  const workload = program.command("workload").description("Runs of serving benchmarks: latencies, goodput, requests").addHelpText("after", "\nExample:\n  lamella workload list");
  workload
    .command("list")
    .description("Imported runs, latest first")
    .option("--from <time>", "imported since", "-30d")
    .addHelpText("after", "\nExample:\n  lamella workload list --from -7d")
    .action(async ({ from }: { from: string }) => {
      const workloads = await everyWorkload(apiOf(globals()), from);
      print(outputOf(globals()), { workloads }, () => (workloads.length === 0 ? "No workloads. Import a benchmark's result: vllm bench serve … --save-result --save-detailed, then lamella import FILE" : workloadsTable(workloads)));
    });

  workload
    .command("show")
    .description("One run: what the file states beside what its requests give, goodput, failures, the requests that stand for all")
    .argument("<workload>", which)
    .option("--ttft-ms <ms>", "goodput: the longest good TTFT")
    .option("--tpot-ms <ms>", "goodput: the longest good TPOT")
    .option("--e2e-ms <ms>", "goodput: the longest good latency")
    .option("--workload-data", "print workload_data.json: the requests for `python -m lamella.profile_serve --workload-json` and viewers")
    .addHelpText("after", "\nExamples:\n  lamella workload show latest --ttft-ms 200 --tpot-ms 50\n  lamella workload show 3f9a07d2 --workload-data > workload_data.json")
    .action(async (wanted: string, { ttftMs, tpotMs, e2eMs, workloadData: isData = false }: { ttftMs?: string; tpotMs?: string; e2eMs?: string; workloadData?: boolean }) => {
      const api = apiOf(globals());
      const id = await findWorkload(api, wanted);
      const detail = await api.call("workload", { params: { id }, query: { ttft_ms: ttftMs, tpot_ms: tpotMs, e2e_ms: e2eMs } });
      if (!isData) return print(outputOf(globals()), detail, () => reportText(detail));
      if (detail.requests === 0) throw new CliError(`${detail.name} has figures only, no requests to write: run the benchmark with its details saved (vllm bench serve --save-detailed).`, "no_requests");
      const { columns, errors } = await requestsOf(api, id, "request", detail.requests);
      print({ json: true }, workloadData(detail, columns, errors), () => "");
    });

  workload
    .command("requests")
    .description("The requests of a run")
    .argument("<workload>", which)
    .option("--sort <column>", `${requestColumnNames.join(", ")}; - before it: descending (--sort=-latencyUs)`, "request")
    .option("--limit <n>", "default: 50 as a table, all as CSV or JSON")
    .option("--csv", "comma-separated, times in µs, for spreadsheets")
    .addHelpText("after", "\nExamples:\n  lamella workload requests latest --sort=-latencyUs --limit 10\n  lamella workload requests 3f9a07d2 --csv > requests.csv")
    .action(async (wanted: string, { sort, limit, csv = false }: { sort: string; limit?: string; csv?: boolean }) => {
      const output = outputOf(globals());
      if (csv && output.json) throw new CliError("--csv and --json are two forms: choose one.", "parameter_invalid");
      if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) throw new CliError(`--limit is "${limit}"; write a number, 1 or more.`, "parameter_invalid");
      const api = apiOf(globals());
      const answer = await requestsOf(api, await findWorkload(api, wanted), sort, limit === undefined ? (csv || output.json ? Infinity : 50) : Number(limit));
      if (csv) return void process.stdout.write(requestsCsvHead + requestsCsv(answer.columns, answer.errors));
      print(output, answer, () => (answer.requests === 0 ? "The file has figures only, no requests." : requestsTable(answer)));
    });
}

// The first `wanted` requests in this order, page after page; each page names its error texts anew.
async function requestsOf(api: Api, id: string, sort: string, wanted: number): Promise<{ requests: number; columns: RequestColumns; errors: string[] }> {
  const page = (cursor: string | undefined, limit: number) => api.call("workloadRequests", { params: { id }, query: { sort, cursor, limit: String(Math.min(limit, limits.workloadRequestsPerPageMax)) } });
  const { requests, columns, errors, next } = await page(undefined, wanted);
  const errorRows = new Map(errors.map((error, row) => [error, row]));
  const rowOf = (error: string) => errorRows.get(error) ?? (errorRows.set(error, errors.length), errors.push(error) - 1);
  for (let cursor = next; cursor !== null && columns.request.length < wanted; ) {
    const more = await page(cursor, wanted - columns.request.length);
    more.columns.error = more.columns.error.map((row) => rowOf(more.errors[row]!));
    for (const [name, column] of Object.entries(more.columns)) (columns[name as keyof RequestColumns] as unknown[]).push(...(column as unknown[]));
    cursor = more.next;
  }
  return { requests, columns, errors };
}
