// LLMPerf's summary: one flat object, seconds, quantiles by pandas (interpolated linearly; its standard deviation is the sample's). Its inter-token latency is the whole
// latency divided by the output tokens, the first one included: that is no TPOT, so it is not shown as one.
import { ok, type Result } from "#core/result.ts";
import { benchmarkFormats } from "../benchmark-format.ts";
import { numberAt, textAt, type JsonRecord } from "../json-record.ts";
import type { Statistics } from "../statistics.ts";
import { workloadOf, type Workload } from "../workload.ts";

export function readLlmperf(result: JsonRecord): Result<Workload[], string> {
  const perMinute = numberAt(result, "results_num_completed_requests_per_min");
  const writtenAtS = numberAt(result, "timestamp") ?? -1;
  const dateText = writtenAtS < 0 || writtenAtS > 1e11 ? "" : `${new Date(writtenAtS * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const completed = numberAt(result, "results_num_completed_requests");
  const total = (mean: number | undefined) => (mean === undefined || completed === undefined ? undefined : Math.round(mean * completed));
  const notes = ["LLMPerf's inter-token latency includes the first token, so it is no TPOT and is not shown"];
  if (dateText !== "") notes.push("The file's time is when the run had ended, so it is not taken for the start");
  return ok([workloadOf({
    format: "llmperf", tool: benchmarkFormats.llmperf, toolVersion: textAt(result, "version"), label: textAt(result, "name"), engine: "", modelName: textAt(result, "model"),
    startedAtS: undefined, dateText,
    load: {
      maxConcurrency: numberAt(result, "num_concurrent_requests"), requests: numberAt(result, "results_num_requests_started"),
      inputTokens: numberAt(result, "mean_input_tokens"), outputTokens: numberAt(result, "mean_output_tokens"),
    },
    stated: {
      completed, failed: numberAt(result, "results_number_errors"),
      inputTokens: total(numberAt(result, "results_number_input_tokens_mean")), outputTokens: total(numberAt(result, "results_number_output_tokens_mean")),
      requestsPerS: perMinute === undefined ? undefined : perMinute / 60, outputTokensPerS: numberAt(result, "results_mean_output_throughput_token_per_s"),
      ttftUs: statisticsOf(result, "results_ttft_s"), latencyUs: statisticsOf(result, "results_end_to_end_latency_s"),
    },
    notes, definitions: { tpot: true, percentiles: true, deviation: false },
  })]);
}

function statisticsOf(result: JsonRecord, name: string): Statistics | undefined {
  const us = (figure: string) => {
    const seconds = numberAt(result, `${name}_${figure}`);
    return seconds === undefined ? undefined : seconds * 1e6;
  };
  const percentiles = [25, 50, 75, 90, 95, 99].flatMap((p): [string, number][] => (us(`quantiles_p${p}`) === undefined ? [] : [[`p${p}`, us(`quantiles_p${p}`)!]]));
  const mean = us("mean");
  return mean === undefined ? undefined : { mean, std: us("stddev"), min: us("min"), max: us("max"), percentiles: Object.fromEntries(percentiles) };
}
