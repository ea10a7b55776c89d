import { expect, test } from "vitest";
import { engineAggregates } from "#core/workload/engine-aggregates.ts";
import { engineReadings } from "#core/workload/prometheus/engine-readings.ts";

// What two ranks of a vLLM server say after so many requests, each 0.5 s in the queue.
const dump = (requests: number, kvUsage: number) => engineReadings(["0", "1"].map((rank) => `
vllm:kv_cache_usage_perc{engine="${rank}"} ${kvUsage * (1 + Number(rank))}
vllm:num_requests_running{engine="${rank}"} 3
vllm:num_preemptions_total{engine="${rank}"} ${requests / 10}
vllm:request_queue_time_seconds_bucket{engine="${rank}",le="+Inf"} ${requests}
vllm:request_queue_time_seconds_sum{engine="${rank}"} ${requests / 2}
vllm:request_queue_time_seconds_count{engine="${rank}"} ${requests}
vllm:something_of_its_own{engine="${rank}"} 1
`).join("")).readings[0]!;

const one = (metric: string, value: number, observations = 0) => ({ engine: "vllm", metric, value, observations });

test("a dump before and one after: what was counted between them, ranks together; levels as they were at the end", () => {
  expect(engineAggregates([dump(10, 0.1), dump(110, 0.4)])).toEqual({
    aggregates: [one("kv_cache_usage_ratio", 0.6000000000000001), one("preemptions", 20), one("queue_seconds", 100, 200), one("requests_running", 6)], notes: [],
  });
});

test("one dump counts since the engine started, and says so", () => {
  const { aggregates, notes } = engineAggregates([dump(110, 0.4)]);
  expect(aggregates[2]).toEqual(one("queue_seconds", 110, 220));
  expect(notes).toEqual([expect.stringContaining("count since it started: requests before this run are in them")]);
});

test("an engine that restarted between them counts since then", () => {
  const { aggregates, notes } = engineAggregates([dump(110, 0.4), dump(10, 0.4)]);
  expect(aggregates[2]).toEqual(one("queue_seconds", 10, 20));
  expect(notes).toEqual(["The engine restarted between its dumps: its own figures count since then"]);
});

test("no dump, no aggregate", () => expect(engineAggregates([])).toEqual({ aggregates: [], notes: [] }));
