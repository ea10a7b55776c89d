-- One row per stored upload, written last: metering, the late-replay guard, completeness of executions, and the invariant "every accepted upload has its rows".
CREATE TABLE IF NOT EXISTS uploads {{on_cluster}}
(
  tenant_id LowCardinality(String), upload_id FixedString(64), kind LowCardinality(String), received_at DateTime64(3, 'UTC'), stored_at DateTime64(3, 'UTC'),
  body_bytes UInt32, samples UInt32, sample_value UInt64, stacks UInt32, frames UInt32, agent_version LowCardinality(String),
  execution_id LowCardinality(String), part UInt32, parts UInt32
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
ORDER BY (tenant_id, upload_id)
TTL toDateTime(received_at) + INTERVAL 400 DAY DELETE
SETTINGS {{deduplication_window}};

CREATE TABLE IF NOT EXISTS executions {{on_cluster}}
(
  tenant_id LowCardinality(String), execution_id FixedString(64), name String, device String, profile_type LowCardinality(String),
  path_source Enum8('none' = 0, 'recorded' = 1, 'aligned' = 2, 'inferred' = 3), model_name String, model_key String,
  recorded_at_ns Int64, duration_ns UInt64, imported_at DateTime('UTC'), parts UInt32, total_value UInt64, module_value UInt64, kernels UInt64, events UInt64,
  gap_reasons Array(String), gap_kernels Array(UInt64), gap_values Array(UInt64), notes Array(String), upload_id FixedString(64), retention_days UInt16,
  stored_at DateTime64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
PARTITION BY retention_days
ORDER BY (tenant_id, execution_id)
TTL imported_at + toIntervalDay(retention_days) DELETE
SETTINGS {{deduplication_window}};

CREATE TABLE IF NOT EXISTS workload_requests {{on_cluster}}
(
  tenant_id LowCardinality(String), workload_id FixedString(64), name LowCardinality(String), engine LowCardinality(String), model_name LowCardinality(String),
  started_at DateTime('UTC'), request UInt32, start_us UInt64, ttft_us UInt64, latency_us UInt64, input_tokens UInt32, output_tokens UInt32, failed Bool,
  retention_days UInt16, stored_at DateTime('UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
PARTITION BY (retention_days, toYYYYMM(stored_at))
ORDER BY (tenant_id, workload_id, request)
TTL stored_at + toIntervalDay(retention_days) DELETE
SETTINGS {{deduplication_window}};

CREATE TABLE IF NOT EXISTS engine_metrics {{on_cluster}}
(
  tenant_id LowCardinality(String), metric LowCardinality(String), ts DateTime('UTC') CODEC(Delta, ZSTD(1)), engine LowCardinality(String),
  host_name LowCardinality(String), model_name LowCardinality(String), labels LowCardinality(String), value Float64 CODEC(Gorilla, ZSTD(1)), retention_days UInt16
)
ENGINE = {{replicated}}MergeTree
PARTITION BY (retention_days, toYYYYMMDD(ts))
ORDER BY (tenant_id, metric, engine, host_name, model_name, labels, ts)
TTL ts + toIntervalDay(retention_days) DELETE
SETTINGS ttl_only_drop_parts = 1, {{deduplication_window}};
