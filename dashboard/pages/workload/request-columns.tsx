// The columns of the table of requests: times in ms as shown, in µs as saved, under the names that `lamella workload requests --csv` writes.
import { printable, printableLines } from "#core/printable.ts";
import { lastLineOf } from "#core/workload/last-line.ts";
import { type ServiceLimits, verdictOf } from "#core/workload/limits-missed.ts";
import { requestsCsvNames } from "#core/workload/requests-csv.ts";
import type { Requests } from "#core/workload/requests.ts";
import { formatExact, formatMs } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { TableColumn } from "../../parts/table-column.ts";

// `limits`: those asked for; without any there is no verdict.
export function requestColumns(requests: Requests, limits: ServiceLimits): { readonly columns: readonly TableColumn[]; readonly missing: readonly string[] } {
  const { gaps } = requests;
  const known = (value: number) => (Number.isNaN(value) ? null : value);
  const highest = (values: ArrayLike<number>) => {
    let max = 0;
    for (let row = 0; row < values.length; row++) if (values[row]! > max) max = values[row]!;
    return max;
  };
  const numeric = (name: string, label: string, csvName: string, width: number, values: ArrayLike<number>, show: TableColumn["show"], colour?: string, unit?: string): TableColumn => {
    const max = highest(values);
    return {
      name, label, csvName, width, show, numeric: true, firstDescending: true, value: (row) => known(values[row]!), ...(unit === undefined ? {} : { unit }),
      ...(colour === undefined ? {} : { bar: { colour, share: (row: number) => (max === 0 ? 0 : values[row]! / max) } }),
    };
  };
  const time = (name: string, label: string, csvName: string, values: Float64Array, colour: string) =>
    numeric(name, label, csvName, 104, values, (row) => (Number.isNaN(values[row]!) ? "—" : <Quantity value={formatMs(values[row]!)} />), `var(--canvas-${colour})`, "ms");
  const count = (name: string, label: string, csvName: string, values: ArrayLike<number>) =>
    numeric(name, label, csvName, 88, values, (row) => (Number.isNaN(values[row]!) ? "—" : formatExact(values[row]!)), "var(--canvas-muted)");
  const names = requestsCsvNames;
  const estimated = requests.latencyEstimated ? "≈ " : "";
  const all: readonly (readonly [TableColumn, ArrayLike<number> | null])[] = [
    [{ name: "request", label: "Request", csvName: names.request, width: 84, numeric: true, firstDescending: false, value: (row) => row, show: (row) => formatExact(row) }, null],
    [{
      name: "start", label: "Start", unit: "s", csvName: names.startUs, width: 96, numeric: true, firstDescending: false, value: (row) => known(requests.startUs[row]!),
      show: (row) => (Number.isNaN(requests.startUs[row]!) ? "—" : <span title={`${formatExact(requests.startUs[row]!)} µs after the first request`}>{(requests.startUs[row]! / 1e6).toFixed(3)}</span>),
    }, requests.startUs],
    [time("clientqueue", "Client queue", names.clientQueueUs, requests.clientQueueUs, "queue"), requests.clientQueueUs],
    [time("queue", "Queue", names.queueUs, requests.queueUs, "queue"), requests.queueUs],
    [time("prefill", "Prefill", names.prefillUs, requests.prefillUs, "prefill"), requests.prefillUs],
    [time("ttft", "TTFT", names.ttftUs, requests.ttftUs, "prefill"), requests.ttftUs],
    [time("decode", `${estimated}Decode`, names.decodeUs, requests.decodeUs, "decode"), requests.decodeUs],
    [time("tpot", `${estimated}TPOT`, names.tpotUs, requests.tpotUs, "decode"), requests.tpotUs],
    [time("latency", `${estimated}E2E`, names.latencyUs, requests.latencyUs, "muted"), requests.latencyUs],
    [count("input", "Input tok", names.inputTokens, requests.inputTokens), requests.inputTokens],
    [count("output", "Output tok", names.outputTokens, requests.outputTokens), requests.outputTokens],
    [time("itlp50", "ITL p50", names.itlP50Us, gaps.p50Us, "decode"), gaps.p50Us],
    [time("itlp99", "ITL p99", names.itlP99Us, gaps.p99Us, "decode"), gaps.p99Us],
    [time("itlmax", "ITL max", names.itlMaxUs, gaps.maxUs, "decode"), gaps.maxUs],
    ...(Object.values(limits).some((limit) => limit !== undefined) ? [[verdictColumn(requests, limits), null] as const] : []),
    [{
      name: "error", label: "Error", csvName: names.error, width: 220, numeric: false, firstDescending: false, value: (row) => (requests.failed[row] === 0 ? null : printableLines(requests.errors[row]!) || "failed"),
      show: (row) => (requests.failed[row] === 0 ? "" : <Failed error={requests.errors[row]!} />),
    }, requests.failed.includes(1) ? null : Float64Array.of(NaN)],
  ];
  const isThere = (values: ArrayLike<number> | null) => values === null || Array.prototype.some.call(values, (value: number) => !Number.isNaN(value));
  return {
    columns: all.filter(([, values]) => isThere(values)).map(([column]) => column),
    missing: all.filter(([column, values]) => !isThere(values) && column.name !== "error").map(([{ label }]) => label.replace("≈ ", "")),
  };
}

const limitWords = { ttftUs: "TTFT", tpotUs: "TPOT", latencyUs: "E2E" } as const;

function verdictColumn(requests: Requests, limits: ServiceLimits): TableColumn {
  const words = (row: number) => {
    const verdict = verdictOf(requests, row, limits);
    return typeof verdict === "string" ? verdict : `over ${verdict.map((name) => limitWords[name]).join(", ")}`;
  };
  return { name: "goodput", label: "Goodput", csvName: "goodput", width: 130, numeric: false, firstDescending: true, title: "Which limits of goodput a request is over", value: words, show: words };
}

function Failed({ error }: { readonly error: string }) {
  const line = printable(lastLineOf(error)) || "failed without a word";
  return <span title={printable(error)}>{line}</span>;
}
