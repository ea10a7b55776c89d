-- What clickhouse/migrations make, as the engine prints it: read this, change those. Written by UPDATE_GOLDEN=1 npm test -- sql

CREATE TABLE engine_metrics
(
    `tenant_id` LowCardinality(String),
    `metric` LowCardinality(String),
    `ts` DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
    `engine` LowCardinality(String),
    `host_name` LowCardinality(String),
    `model_name` LowCardinality(String),
    `labels` LowCardinality(String),
    `value` Float64 CODEC(Gorilla(8), ZSTD(1)),
    `retention_days` UInt16
)
ENGINE = MergeTree
PARTITION BY (retention_days, toYYYYMMDD(ts))
ORDER BY (tenant_id, metric, engine, host_name, model_name, labels, ts)
TTL ts + toIntervalDay(retention_days)
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE engine_metrics_1d
(
    `tenant_id` LowCardinality(String),
    `metric` LowCardinality(String),
    `day` Date,
    `engine` LowCardinality(String),
    `host_name` LowCardinality(String),
    `model_name` LowCardinality(String),
    `labels` LowCardinality(String),
    `retention_days` UInt16,
    `first_at` SimpleAggregateFunction(min, DateTime('UTC')),
    `last_at` SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = AggregatingMergeTree
PARTITION BY (retention_days, toYYYYMM(day))
ORDER BY (tenant_id, metric, engine, host_name, model_name, labels, day, retention_days)
TTL day + toIntervalDay(retention_days * 6)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE MATERIALIZED VIEW engine_metrics_1d_mv TO engine_metrics_1d
(
    `tenant_id` LowCardinality(String),
    `metric` LowCardinality(String),
    `day` Date,
    `engine` LowCardinality(String),
    `host_name` LowCardinality(String),
    `model_name` LowCardinality(String),
    `labels` LowCardinality(String),
    `retention_days` UInt16,
    `first_at` DateTime('UTC'),
    `last_at` DateTime('UTC')
)
AS SELECT
    tenant_id,
    metric,
    toDate(ts) AS day,
    engine,
    host_name,
    model_name,
    labels,
    retention_days,
    min(ts) AS first_at,
    max(ts) AS last_at
FROM engine_metrics
GROUP BY
    tenant_id,
    metric,
    day,
    engine,
    host_name,
    model_name,
    labels,
    retention_days;

CREATE TABLE engine_metrics_1h
(
    `tenant_id` LowCardinality(String),
    `metric` LowCardinality(String),
    `bucket` DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
    `engine` LowCardinality(String),
    `host_name` LowCardinality(String),
    `model_name` LowCardinality(String),
    `labels` LowCardinality(String),
    `retention_days` UInt16,
    `sum` SimpleAggregateFunction(sum, Float64),
    `count` SimpleAggregateFunction(sum, UInt64),
    `min` SimpleAggregateFunction(min, Float64),
    `max` SimpleAggregateFunction(max, Float64),
    `last` AggregateFunction(argMax, Float64, DateTime('UTC')),
    `first_at` SimpleAggregateFunction(min, DateTime('UTC')),
    `last_at` SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = AggregatingMergeTree
PARTITION BY (retention_days, toYYYYMM(bucket))
ORDER BY (tenant_id, metric, engine, host_name, model_name, labels, bucket, retention_days)
TTL bucket + toIntervalDay(retention_days * 6)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE MATERIALIZED VIEW engine_metrics_1h_mv TO engine_metrics_1h
(
    `tenant_id` LowCardinality(String),
    `metric` LowCardinality(String),
    `bucket` DateTime('UTC'),
    `engine` LowCardinality(String),
    `host_name` LowCardinality(String),
    `model_name` LowCardinality(String),
    `labels` LowCardinality(String),
    `retention_days` UInt16,
    `sum` Float64,
    `count` UInt64,
    `min` Float64,
    `max` Float64,
    `last` AggregateFunction(argMax, Float64, DateTime('UTC')),
    `first_at` DateTime('UTC'),
    `last_at` DateTime('UTC')
)
AS SELECT
    tenant_id,
    metric,
    toStartOfHour(ts) AS bucket,
    engine,
    host_name,
    model_name,
    labels,
    retention_days,
    sum(value) AS sum,
    count() AS count,
    min(value) AS min,
    max(value) AS max,
    argMaxState(value, ts) AS last,
    min(ts) AS first_at,
    max(ts) AS last_at
FROM engine_metrics
GROUP BY
    tenant_id,
    metric,
    bucket,
    engine,
    host_name,
    model_name,
    labels,
    retention_days;

CREATE TABLE execution_nodes
(
    `tenant_id` LowCardinality(String),
    `execution_id` FixedString(64),
    `module_path` String,
    `module_class` LowCardinality(String),
    `step` UInt32,
    `calls` UInt64,
    `kernels` UInt64,
    `value` UInt64,
    `gpu_min` UInt64,
    `gpu_median` UInt64,
    `gpu_max` UInt64,
    `cpu_total` UInt64,
    `cpu_min` UInt64,
    `cpu_median` UInt64,
    `cpu_max` UInt64,
    `imported_at` DateTime('UTC'),
    `retention_days` UInt16,
    `stored_at` DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
PARTITION BY retention_days
ORDER BY (tenant_id, module_path, execution_id, module_class, step)
TTL imported_at + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE execution_records
(
    `tenant_id` LowCardinality(String),
    `execution_id` FixedString(64),
    `record` String CODEC(ZSTD(3)),
    `upload_id` FixedString(64),
    `imported_at` DateTime('UTC'),
    `retention_days` UInt16,
    `stored_at` DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
PARTITION BY retention_days
ORDER BY (tenant_id, execution_id)
TTL imported_at + toIntervalDay(retention_days)
SETTINGS index_granularity_bytes = 1048576, non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE executions
(
    `tenant_id` LowCardinality(String),
    `execution_id` FixedString(64),
    `name` String,
    `device` String,
    `profile_type` LowCardinality(String),
    `path_source` Enum8('none' = 0, 'recorded' = 1, 'aligned' = 2, 'inferred' = 3),
    `model_name` String,
    `model_key` String,
    `recorded_at_ns` Int64,
    `duration_ns` UInt64,
    `imported_at` DateTime('UTC'),
    `parts` UInt32,
    `total_value` UInt64,
    `module_value` UInt64,
    `kernels` UInt64,
    `events` UInt64,
    `gap_reasons` Array(String),
    `gap_kernels` Array(UInt64),
    `gap_values` Array(UInt64),
    `notes` Array(String),
    `upload_id` FixedString(64),
    `retention_days` UInt16,
    `stored_at` DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
PARTITION BY retention_days
ORDER BY (tenant_id, execution_id)
TTL imported_at + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE field_values
(
    `tenant_id` LowCardinality(String),
    `day` Date,
    `field` LowCardinality(String),
    `value` String CODEC(ZSTD(1)),
    `samples` UInt64,
    `last_seen` SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = SummingMergeTree(samples)
PARTITION BY toYYYYMM(day)
ORDER BY (tenant_id, field, day, value)
TTL day + toIntervalDay(190)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE MATERIALIZED VIEW field_values_mv TO field_values
(
    `tenant_id` LowCardinality(String),
    `day` Date,
    `field` String,
    `value` String,
    `samples` UInt64,
    `last_seen` DateTime('UTC')
)
AS SELECT
    tenant_id,
    toDate(bucket) AS day,
    pair.1 AS field,
    pair.2 AS value,
    count() AS samples,
    max(ts) AS last_seen
FROM samples
ARRAY JOIN arrayFilter(x -> ((x.2) != ''), arrayConcat([('host.name', CAST(host_name, 'String')), ('process.executable.name', CAST(exe_name, 'String')), ('script.name', CAST(script_name, 'String')), ('container.name', CAST(container_name, 'String')), ('k8s.namespace.name', CAST(k8s_namespace, 'String')), ('k8s.deployment.name', CAST(k8s_deployment, 'String')), ('k8s.pod.name', CAST(k8s_pod, 'String')), ('cluster.name', CAST(cluster_name, 'String')), ('slurm.job.id', CAST(slurm_job_id, 'String')), ('slurm.job.name', CAST(slurm_job_name, 'String')), ('slurm.job.user', CAST(slurm_job_user, 'String')), ('job.tag', CAST(job_tag, 'String')), ('thread.name', CAST(thread_name, 'String')), ('gpu.name', CAST(gpu_name, 'String')), ('gpu.uuid', CAST(gpu_uuid, 'String'))], arrayMap(t -> ('user.tag', CAST(t, 'String')), user_tags))) AS pair
GROUP BY
    tenant_id,
    day,
    field,
    value;

CREATE TABLE frames
(
    `tenant_id` LowCardinality(String),
    `frame_id` UInt64,
    `kind` Enum8('native' = 1, 'python' = 2, 'os_kernel' = 3, 'gpu_api' = 4, 'gpu_kernel' = 5, 'layer' = 6, 'op' = 7, 'nvtx' = 8, 'sass' = 9, 'stall' = 10, 'instruction' = 11),
    `name` String CODEC(ZSTD(3)),
    `file` String CODEC(ZSTD(3)),
    `mapping` LowCardinality(String),
    `line` UInt32,
    `module_path` String CODEC(ZSTD(3)),
    `module_class` LowCardinality(String),
    `model_key` LowCardinality(String),
    `last_seen` Date,
    INDEX name_ngrams lower(name) TYPE ngrambf_v1(3, 8192, 2, 0) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(last_seen)
ORDER BY (tenant_id, frame_id)
TTL last_seen + toIntervalDay(1090)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE model_shapes
(
    `tenant_id` LowCardinality(String),
    `model_key` FixedString(32),
    `shape_id` FixedString(64),
    `layout_id` FixedString(64),
    `layout` String CODEC(ZSTD(6)),
    `parts` Array(String),
    `stored_at` DateTime('UTC'),
    `run_id` String,
    `parts_received_s` UInt64
)
ENGINE = ReplacingMergeTree(stored_at)
PRIMARY KEY (tenant_id, model_key, shape_id, layout_id, parts)
ORDER BY (tenant_id, model_key, shape_id, layout_id, parts, run_id)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE samples
(
    `tenant_id` LowCardinality(String),
    `profile_type` LowCardinality(String),
    `execution_id` LowCardinality(String),
    `retention_days` UInt16,
    `bucket` DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
    `ts` DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
    `cluster_name` LowCardinality(String),
    `host_name` LowCardinality(String),
    `exe_name` LowCardinality(String),
    `script_name` LowCardinality(String),
    `container_name` LowCardinality(String),
    `k8s_namespace` LowCardinality(String),
    `k8s_deployment` LowCardinality(String),
    `k8s_pod` LowCardinality(String),
    `slurm_job_id` LowCardinality(String),
    `slurm_job_name` LowCardinality(String),
    `slurm_job_user` LowCardinality(String),
    `job_tag` LowCardinality(String),
    `user_tags` Array(LowCardinality(String)),
    `gpu_uuid` LowCardinality(String),
    `gpu_name` LowCardinality(String),
    `thread_name` LowCardinality(String),
    `stack_id` UInt64 CODEC(ZSTD(1)),
    `step` UInt32,
    `source` Enum8('live' = 1, 'import' = 2, 'walk' = 3),
    `value` UInt64 CODEC(T64, ZSTD(1)),
    `count` UInt32 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY (retention_days, toYYYYMMDD(bucket))
ORDER BY (tenant_id, profile_type, execution_id, bucket, exe_name, k8s_namespace, k8s_deployment, host_name, k8s_pod, stack_id, ts)
TTL bucket + toIntervalDay(retention_days)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 240000;

CREATE TABLE samples_1h_by_deployment
(
    `tenant_id` LowCardinality(String),
    `profile_type` LowCardinality(String),
    `execution_id` LowCardinality(String),
    `retention_days` UInt16,
    `bucket` DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
    `exe_name` LowCardinality(String),
    `k8s_namespace` LowCardinality(String),
    `k8s_deployment` LowCardinality(String),
    `cluster_name` LowCardinality(String),
    `stack_id` UInt64 CODEC(ZSTD(1)),
    `value` UInt64 CODEC(T64, ZSTD(1)),
    `count` UInt64 CODEC(T64, ZSTD(1)),
    `samples` UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = SummingMergeTree((value, count, samples))
PARTITION BY (retention_days, toYYYYMM(bucket))
ORDER BY (tenant_id, profile_type, execution_id, bucket, exe_name, k8s_namespace, k8s_deployment, cluster_name, stack_id, retention_days)
TTL bucket + toIntervalDay(retention_days * 6)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE MATERIALIZED VIEW samples_1h_by_deployment_mv TO samples_1h_by_deployment
(
    `tenant_id` LowCardinality(String),
    `profile_type` LowCardinality(String),
    `execution_id` LowCardinality(String),
    `retention_days` UInt16,
    `bucket` DateTime('UTC'),
    `exe_name` LowCardinality(String),
    `k8s_namespace` LowCardinality(String),
    `k8s_deployment` LowCardinality(String),
    `cluster_name` LowCardinality(String),
    `stack_id` UInt64,
    `value` UInt64,
    `count` UInt64,
    `samples` UInt64
)
AS SELECT
    tenant_id,
    profile_type,
    execution_id,
    retention_days,
    bucket,
    exe_name,
    k8s_namespace,
    k8s_deployment,
    cluster_name,
    stack_id,
    sum(value) AS value,
    sum(count) AS count,
    count() AS samples
FROM samples
GROUP BY
    tenant_id,
    profile_type,
    execution_id,
    retention_days,
    bucket,
    exe_name,
    k8s_namespace,
    k8s_deployment,
    cluster_name,
    stack_id;

CREATE TABLE samples_1h_by_exe
(
    `tenant_id` LowCardinality(String),
    `profile_type` LowCardinality(String),
    `execution_id` LowCardinality(String),
    `retention_days` UInt16,
    `bucket` DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
    `exe_name` LowCardinality(String),
    `stack_id` UInt64 CODEC(ZSTD(1)),
    `value` UInt64 CODEC(T64, ZSTD(1)),
    `count` UInt64 CODEC(T64, ZSTD(1)),
    `samples` UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = SummingMergeTree((value, count, samples))
PARTITION BY (retention_days, toYYYYMM(bucket))
ORDER BY (tenant_id, profile_type, execution_id, bucket, exe_name, stack_id, retention_days)
TTL bucket + toIntervalDay(retention_days * 6)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE MATERIALIZED VIEW samples_1h_by_exe_mv TO samples_1h_by_exe
(
    `tenant_id` LowCardinality(String),
    `profile_type` LowCardinality(String),
    `execution_id` LowCardinality(String),
    `retention_days` UInt16,
    `bucket` DateTime('UTC'),
    `exe_name` LowCardinality(String),
    `stack_id` UInt64,
    `value` UInt64,
    `count` UInt64,
    `samples` UInt64
)
AS SELECT
    tenant_id,
    profile_type,
    execution_id,
    retention_days,
    bucket,
    exe_name,
    stack_id,
    sum(value) AS value,
    sum(count) AS count,
    count() AS samples
FROM samples
GROUP BY
    tenant_id,
    profile_type,
    execution_id,
    retention_days,
    bucket,
    exe_name,
    stack_id;

CREATE TABLE shape_parts
(
    `tenant_id` LowCardinality(String),
    `model_key` FixedString(32),
    `sizes` LowCardinality(String),
    `pp_rank` UInt16,
    `pp_size` UInt16,
    `part_hash` FixedString(64),
    `body` String CODEC(ZSTD(6)),
    `layout` String CODEC(ZSTD(6)),
    `stored_at` DateTime('UTC'),
    `run_id` String
)
ENGINE = ReplacingMergeTree(stored_at)
PRIMARY KEY (tenant_id, model_key, sizes, pp_rank)
ORDER BY (tenant_id, model_key, sizes, pp_rank, run_id)
TTL stored_at + toIntervalDay(190) WHERE run_id != ''
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE shapes
(
    `tenant_id` LowCardinality(String),
    `shape_id` FixedString(64),
    `body` String CODEC(ZSTD(6)),
    `modules` UInt64,
    `parameters` UInt64,
    `weight_bytes` UInt64,
    `root_class` LowCardinality(String),
    `architecture` LowCardinality(String),
    `stored_at` DateTime('UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (tenant_id, shape_id)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE sightings
(
    `tenant_id` LowCardinality(String),
    `model_key` FixedString(32),
    `day` Date,
    `source` Enum8('live' = 1, 'import' = 2, 'walk' = 3),
    `tp_rank` UInt16,
    `pp_rank` UInt16,
    `host_name` LowCardinality(String),
    `machine_id` LowCardinality(String),
    `process_key` UInt64,
    `k8s_pod` LowCardinality(String),
    `container_name` LowCardinality(String),
    `part_hash` LowCardinality(String),
    `tp_size` SimpleAggregateFunction(max, UInt16),
    `pp_size` SimpleAggregateFunction(max, UInt16),
    `served_name` SimpleAggregateFunction(anyLast, String),
    `name_or_path` SimpleAggregateFunction(anyLast, String),
    `architecture` SimpleAggregateFunction(anyLast, String),
    `root_class` SimpleAggregateFunction(anyLast, String),
    `exe_name` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `script_name` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `k8s_namespace` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `k8s_deployment` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `cluster_name` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `slurm_job_id` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `slurm_job_name` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `slurm_job_user` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `job_tag` SimpleAggregateFunction(anyLast, LowCardinality(String)),
    `user_tags` SimpleAggregateFunction(anyLast, Array(String)),
    `first_seen` SimpleAggregateFunction(min, DateTime('UTC')),
    `last_seen` SimpleAggregateFunction(max, DateTime('UTC')),
    `run_id` SimpleAggregateFunction(max, String)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (tenant_id, model_key, day, source, host_name, machine_id, process_key, tp_rank, pp_rank, k8s_pod, container_name, part_hash)
TTL day + toIntervalDay(190)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE stacks
(
    `tenant_id` LowCardinality(String),
    `stack_id` UInt64,
    `frames` Array(UInt64) CODEC(ZSTD(3)),
    `last_seen` Date,
    `kinds` UInt16 MATERIALIZED toUInt16(arrayReduce('groupBitOr', arrayMap(frame -> bitShiftLeft(CAST('1', 'UInt16'), bitAnd(frame, 15)), frames))) CODEC(ZSTD(1)),
    `kernels` Array(UInt64) MATERIALIZED arrayDistinct(arrayFilter(frame -> (bitAnd(frame, 15) = 5), frames)) CODEC(ZSTD(3)),
    `layers` Array(UInt64) MATERIALIZED arrayDistinct(arrayFilter(frame -> (bitAnd(frame, 15) = 6), frames)) CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(last_seen)
ORDER BY (tenant_id, stack_id)
TTL last_seen + toIntervalDay(1090)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE uploads
(
    `tenant_id` LowCardinality(String),
    `upload_id` FixedString(64),
    `kind` LowCardinality(String),
    `received_at` DateTime64(3, 'UTC'),
    `stored_at` DateTime64(3, 'UTC'),
    `body_bytes` UInt32,
    `samples` UInt32,
    `sample_value` UInt64,
    `stacks` UInt32,
    `frames` UInt32,
    `agent_version` LowCardinality(String),
    `execution_id` LowCardinality(String),
    `part` UInt32,
    `parts` UInt32
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY (tenant_id, upload_id)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE workload_requests
(
    `tenant_id` LowCardinality(String),
    `workload_id` FixedString(64),
    `name` LowCardinality(String),
    `engine` LowCardinality(String),
    `model_name` LowCardinality(String),
    `started_at` DateTime('UTC'),
    `request` UInt32,
    `start_us` Nullable(UInt64),
    `client_queue_us` Nullable(UInt64),
    `queue_us` Nullable(UInt64),
    `prefill_us` Nullable(UInt64),
    `ttft_us` Nullable(UInt64),
    `latency_us` Nullable(UInt64),
    `input_tokens` Nullable(UInt32),
    `output_tokens` Nullable(UInt32),
    `itl_count` UInt32,
    `itl_p50_us` Nullable(UInt64),
    `itl_p90_us` Nullable(UInt64),
    `itl_p99_us` Nullable(UInt64),
    `itl_max_us` Nullable(UInt64),
    `spike_at_us` Array(UInt64),
    `spike_gap_us` Array(UInt64),
    `failed` Bool,
    `error` LowCardinality(String),
    `retention_days` UInt16,
    `stored_at` DateTime('UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
PARTITION BY (retention_days, toYYYYMM(stored_at))
ORDER BY (tenant_id, workload_id, request)
TTL stored_at + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;

CREATE TABLE workloads
(
    `tenant_id` LowCardinality(String),
    `workload_id` FixedString(64),
    `part` UInt32,
    `parts` UInt32,
    `name` String,
    `label` String,
    `tool` LowCardinality(String),
    `tool_version` LowCardinality(String),
    `engine` LowCardinality(String),
    `model_name` LowCardinality(String),
    `layers` UInt32,
    `started_at` Nullable(DateTime('UTC')),
    `date_text` String,
    `requests` UInt32,
    `failed` UInt32,
    `latency_estimated` Bool,
    `load_strategy` String,
    `load_names` Array(String),
    `load_values` Array(Float64),
    `stated_names` Array(String),
    `stated_values` Array(Float64),
    `computed_names` Array(String),
    `computed_values` Array(Float64),
    `aggregate_engines` Array(String),
    `aggregate_metrics` Array(String),
    `aggregate_values` Array(Float64),
    `aggregate_observations` Array(Float64),
    `notes` Array(String),
    `received_at` DateTime64(3, 'UTC'),
    `retention_days` UInt16,
    `stored_at` DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
PARTITION BY retention_days
ORDER BY (tenant_id, workload_id, part)
TTL toDateTime(received_at) + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 240000, index_granularity = 8192;
