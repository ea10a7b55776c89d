-- One row per part of a workload, as its client sent it: the head in each, figures, aggregates and notes in part 1. A workload is complete when all its parts are here, and
-- the requests of a part are stored before its row.
CREATE TABLE IF NOT EXISTS workloads {{on_cluster}}
(
  tenant_id LowCardinality(String), workload_id FixedString(64), part UInt32, parts UInt32, name String, label String, tool LowCardinality(String), tool_version LowCardinality(String),
  engine LowCardinality(String), model_name LowCardinality(String),
  layers UInt32,                                         -- of the model; 0 = not known
  started_at Nullable(DateTime('UTC')),                  -- first request sent; NULL = the file has no absolute time
  date_text String,
  requests UInt32, failed UInt32,                        -- of this part
  latency_estimated Bool, load_strategy String,
  load_names Array(String), load_values Array(Float64), stated_names Array(String), stated_values Array(Float64), computed_names Array(String), computed_values Array(Float64),
  aggregate_engines Array(String), aggregate_metrics Array(String), aggregate_values Array(Float64), aggregate_observations Array(Float64), notes Array(String),
  received_at DateTime64(3, 'UTC'), retention_days UInt16, stored_at DateTime64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
PARTITION BY retention_days
ORDER BY (tenant_id, workload_id, part)
TTL toDateTime(received_at) + toIntervalDay(retention_days) DELETE
SETTINGS {{deduplication_window}};

-- Per request; NULL = the file does not give it. Gaps between streamed pieces (ITL) as quantiles, and the few longest with their time.
ALTER TABLE workload_requests {{on_cluster}}
  MODIFY COLUMN start_us Nullable(UInt64),
  ADD COLUMN IF NOT EXISTS client_queue_us Nullable(UInt64) AFTER start_us,
  ADD COLUMN IF NOT EXISTS queue_us Nullable(UInt64) AFTER client_queue_us,
  ADD COLUMN IF NOT EXISTS prefill_us Nullable(UInt64) AFTER queue_us,
  MODIFY COLUMN ttft_us Nullable(UInt64),
  MODIFY COLUMN latency_us Nullable(UInt64),
  MODIFY COLUMN input_tokens Nullable(UInt32),
  MODIFY COLUMN output_tokens Nullable(UInt32),
  ADD COLUMN IF NOT EXISTS itl_count UInt32 AFTER output_tokens,
  ADD COLUMN IF NOT EXISTS itl_p50_us Nullable(UInt64) AFTER itl_count,
  ADD COLUMN IF NOT EXISTS itl_p90_us Nullable(UInt64) AFTER itl_p50_us,
  ADD COLUMN IF NOT EXISTS itl_p99_us Nullable(UInt64) AFTER itl_p90_us,
  ADD COLUMN IF NOT EXISTS itl_max_us Nullable(UInt64) AFTER itl_p99_us,
  ADD COLUMN IF NOT EXISTS spike_at_us Array(UInt64) AFTER itl_max_us,
  ADD COLUMN IF NOT EXISTS spike_gap_us Array(UInt64) AFTER spike_at_us,
  ADD COLUMN IF NOT EXISTS error LowCardinality(String) AFTER failed;
