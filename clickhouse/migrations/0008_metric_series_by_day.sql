-- Which series of engine metrics had points on a day: the list of metrics asks about series, and over months the hours of each are 24 times as many rows. Holds nothing
-- that adds up, so filling it again from the hours changes nothing, also while points arrive.
CREATE TABLE IF NOT EXISTS engine_metrics_1d {{on_cluster}}
(
  tenant_id LowCardinality(String), metric LowCardinality(String), day Date, engine LowCardinality(String), host_name LowCardinality(String), model_name LowCardinality(String),
  labels LowCardinality(String), retention_days UInt16, first_at SimpleAggregateFunction(min, DateTime('UTC')), last_at SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = {{replicated}}AggregatingMergeTree
PARTITION BY (retention_days, toYYYYMM(day))
ORDER BY (tenant_id, metric, engine, host_name, model_name, labels, day, retention_days)
TTL day + toIntervalDay(retention_days * 6) DELETE
SETTINGS {{deduplication_window}};

CREATE MATERIALIZED VIEW IF NOT EXISTS engine_metrics_1d_mv {{on_cluster}} TO engine_metrics_1d AS
SELECT tenant_id, metric, toDate(ts) AS day, engine, host_name, model_name, labels, retention_days, min(ts) AS first_at, max(ts) AS last_at
FROM engine_metrics GROUP BY tenant_id, metric, day, engine, host_name, model_name, labels, retention_days;

INSERT INTO engine_metrics_1d (tenant_id, metric, day, engine, host_name, model_name, labels, retention_days, first_at, last_at)
SELECT tenant_id, metric, toDate(bucket) AS day, engine, host_name, model_name, labels, retention_days, min(first_at) AS first_at, max(last_at) AS last_at
FROM engine_metrics_1h GROUP BY tenant_id, metric, day, engine, host_name, model_name, labels, retention_days;
