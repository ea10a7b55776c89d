// What the page and the worker that reads a file say to each other.
import type { FileFlamegraphQuery } from "#core/file-view/file-flamegraph.ts";
import type { MetricRows } from "#core/file-view/metrics-rows.ts";
import type { Requests } from "#core/workload/requests.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import type { WorkloadReport } from "#schema/api/workloads.ts";

export type OpenedRun = { readonly report: WorkloadReport; readonly requests: Requests };
export type OpenedFile =
  | { readonly kind: "trace"; readonly report: readonly string[] }
  | { readonly kind: "benchmark"; readonly runs: readonly OpenedRun[] }
  | { readonly kind: "metrics"; readonly what: string; readonly readings: number; readonly notes: readonly string[]; readonly table: MetricRows };

export type Refused = { readonly reason: string; readonly instead: string }; // instead: what to do with it, "" = nothing but another file

export type ToWorker =
  | { readonly type: "open"; readonly file: File }
  | { readonly type: "flamegraph"; readonly question: number; readonly query: FileFlamegraphQuery };
export type FromWorker =
  | { readonly type: "read"; readonly bytes: number; readonly pass: number } // of the file as it lies on disk; a large trace is read twice
  | { readonly type: "opened"; readonly opened: OpenedFile; readonly cutShort: boolean }
  | { readonly type: "refused"; readonly refused: Refused }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "answer"; readonly question: number; readonly graph: Flamegraph };
