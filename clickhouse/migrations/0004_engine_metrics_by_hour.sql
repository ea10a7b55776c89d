-- Engine metrics by the hour, each series on its own: levels (sum / count, min, max, last) and counters (sum) read the same row, and since labels are part of the key a
-- histogram keeps its buckets.
CREATE TABLE IF NOT EXISTS engine_metrics_1h {{on_cluster}}
(
  tenant_id LowCardinality(String), metric LowCardinality(String), bucket DateTime('UTC') CODEC(Delta, ZSTD(1)), engine LowCardinality(String),
  host_name LowCardinality(String), model_name LowCardinality(String), labels LowCardinality(String), retention_days UInt16,
  sum SimpleAggregateFunction(sum, Float64), count SimpleAggregateFunction(sum, UInt64), min SimpleAggregateFunction(min, Float64), max SimpleAggregateFunction(max, Float64),
  last AggregateFunction(argMax, Float64, DateTime('UTC')),
  first_at SimpleAggregateFunction(min, DateTime('UTC')), last_at SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = {{replicated}}AggregatingMergeTree
PARTITION BY (retention_days, toYYYYMM(bucket))
ORDER BY (tenant_id, metric, engine, host_name, model_name, labels, bucket, retention_days)
TTL bucket + toIntervalDay(retention_days * 6) DELETE
SETTINGS {{deduplication_window}};

CREATE MATERIALIZED VIEW IF NOT EXISTS engine_metrics_1h_mv {{on_cluster}} TO engine_metrics_1h AS
SELECT tenant_id, metric, toStartOfHour(ts) AS bucket, engine, host_name, model_name, labels, retention_days, sum(value) AS sum, count() AS count, min(value) AS min, max(value) AS max,
       argMaxState(value, ts) AS last, min(ts) AS first_at, max(ts) AS last_at
FROM engine_metrics GROUP BY tenant_id, metric, bucket, engine, host_name, model_name, labels, retention_days;
