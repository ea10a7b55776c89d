// The one door to every file of engine metrics: Prometheus dump, CSV or log → readings. Null: none of these.
import { decodeUtf8 } from "#core/utf8.ts";
import { engineReadings } from "../prometheus/engine-readings.ts";
import { isPrometheusText } from "../prometheus/is-prometheus-text.ts";
import type { MetricsFile } from "../prometheus/reading.ts";
import { nvidiaSmiCsv } from "./nvidia-smi-csv.ts";
import { timeseriesKind, timeseriesKinds } from "./timeseries-kind.ts";
import { vllmCsv } from "./vllm-csv.ts";
import { vllmLog } from "./vllm-log.ts";

const headBytes = 4_096;

// `kind` for people. A file without readings has none of what its kind should have.
export function readMetricsFile(bytes: Uint8Array): (MetricsFile & { readonly kind: string }) | null {
  const head = bytes.subarray(0, headBytes);
  const series = timeseriesKind(head);
  if (series === null && !isPrometheusText(head)) return null;
  const text = decodeUtf8(bytes);
  if (series === null) return { kind: "Prometheus dump", ...engineReadings(text) };
  const read = { "vllm-csv": vllmCsv, "nvidia-smi-csv": nvidiaSmiCsv, "vllm-log": vllmLog }[series];
  return { kind: timeseriesKinds[series], ...read(text) };
}
