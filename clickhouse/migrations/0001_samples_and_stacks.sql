-- One row = one weight of one stack in one context. Template words in double braces: clickhouse/migrate.ts fills them for a single server or a cluster.
CREATE TABLE IF NOT EXISTS samples {{on_cluster}}
(
  tenant_id      LowCardinality(String),                 -- random id from D1, never reused
  profile_type   LowCardinality(String),                 -- cuda | cuda_launch | pc | cpu | cpu_op
  execution_id   LowCardinality(String),                 -- '' = live; else the imported file's execution
  retention_days UInt16,                                 -- 7 | 30 | 90 | 180: the tenant's plan when the row was written
  bucket         DateTime('UTC') CODEC(Delta, ZSTD(1)),  -- toStartOfHour(ts), stored: pruning needs the plain column
  ts             DateTime('UTC') CODEC(Delta, ZSTD(1)),
  cluster_name   LowCardinality(String),
  host_name      LowCardinality(String),
  exe_name       LowCardinality(String),
  script_name    LowCardinality(String),
  container_name LowCardinality(String),
  k8s_namespace  LowCardinality(String),
  k8s_deployment LowCardinality(String),
  k8s_pod        LowCardinality(String),
  slurm_job_id   LowCardinality(String),
  slurm_job_name LowCardinality(String),
  slurm_job_user LowCardinality(String),
  job_tag        LowCardinality(String),
  user_tags      Array(LowCardinality(String)),          -- 'key:value', sorted, unique
  gpu_uuid       LowCardinality(String),
  gpu_name       LowCardinality(String),
  thread_name    LowCardinality(String),
  stack_id       UInt64 CODEC(ZSTD(1)),
  step           UInt32,                                 -- step or forward number in an execution; 0 live
  source         Enum8('live' = 1, 'import' = 2, 'walk' = 3),
  value          UInt64 CODEC(T64, ZSTD(1)),
  count          UInt32 CODEC(T64, ZSTD(1))              -- launches or calls behind value
)
ENGINE = {{replicated}}MergeTree
PARTITION BY (retention_days, toYYYYMMDD(bucket))
ORDER BY (tenant_id, profile_type, execution_id, bucket, exe_name, k8s_namespace, k8s_deployment, host_name, k8s_pod, stack_id, ts)
TTL bucket + toIntervalDay(retention_days) DELETE
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, {{deduplication_window}};

CREATE TABLE IF NOT EXISTS samples_1h_by_exe {{on_cluster}}
(
  tenant_id LowCardinality(String), profile_type LowCardinality(String), execution_id LowCardinality(String), retention_days UInt16,
  bucket DateTime('UTC') CODEC(Delta, ZSTD(1)), exe_name LowCardinality(String), stack_id UInt64 CODEC(ZSTD(1)),
  value UInt64 CODEC(T64, ZSTD(1)), count UInt64 CODEC(T64, ZSTD(1)), samples UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = {{replicated}}SummingMergeTree((value, count, samples))
PARTITION BY (retention_days, toYYYYMM(bucket))
ORDER BY (tenant_id, profile_type, execution_id, bucket, exe_name, stack_id, retention_days)
TTL bucket + toIntervalDay(retention_days * 6) DELETE
SETTINGS {{deduplication_window}};

CREATE MATERIALIZED VIEW IF NOT EXISTS samples_1h_by_exe_mv {{on_cluster}} TO samples_1h_by_exe AS
SELECT tenant_id, profile_type, execution_id, retention_days, bucket, exe_name, stack_id, sum(value) AS value, sum(count) AS count, count() AS samples
FROM samples GROUP BY tenant_id, profile_type, execution_id, retention_days, bucket, exe_name, stack_id;

CREATE TABLE IF NOT EXISTS samples_1h_by_deployment {{on_cluster}}
(
  tenant_id LowCardinality(String), profile_type LowCardinality(String), execution_id LowCardinality(String), retention_days UInt16,
  bucket DateTime('UTC') CODEC(Delta, ZSTD(1)), exe_name LowCardinality(String), k8s_namespace LowCardinality(String),
  k8s_deployment LowCardinality(String), cluster_name LowCardinality(String), stack_id UInt64 CODEC(ZSTD(1)),
  value UInt64 CODEC(T64, ZSTD(1)), count UInt64 CODEC(T64, ZSTD(1)), samples UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = {{replicated}}SummingMergeTree((value, count, samples))
PARTITION BY (retention_days, toYYYYMM(bucket))
ORDER BY (tenant_id, profile_type, execution_id, bucket, exe_name, k8s_namespace, k8s_deployment, cluster_name, stack_id, retention_days)
TTL bucket + toIntervalDay(retention_days * 6) DELETE
SETTINGS {{deduplication_window}};

CREATE MATERIALIZED VIEW IF NOT EXISTS samples_1h_by_deployment_mv {{on_cluster}} TO samples_1h_by_deployment AS
SELECT tenant_id, profile_type, execution_id, retention_days, bucket, exe_name, k8s_namespace, k8s_deployment, cluster_name, stack_id,
       sum(value) AS value, sum(count) AS count, count() AS samples
FROM samples
GROUP BY tenant_id, profile_type, execution_id, retention_days, bucket, exe_name, k8s_namespace, k8s_deployment, cluster_name, stack_id;

-- Content-addressed dictionaries, written before the samples that point at them. Copies may exist until merged: always read with ANY JOIN.
CREATE TABLE IF NOT EXISTS stacks {{on_cluster}}
( tenant_id LowCardinality(String), stack_id UInt64, frames Array(UInt64) CODEC(ZSTD(3)), last_seen Date )
ENGINE = {{replicated}}ReplacingMergeTree(last_seen)
ORDER BY (tenant_id, stack_id)
TTL last_seen + INTERVAL 1090 DAY DELETE
SETTINGS {{deduplication_window}};

CREATE TABLE IF NOT EXISTS frames {{on_cluster}}
(
  tenant_id LowCardinality(String),
  frame_id UInt64,                                       -- 60 hash bits << 4 | kind: hiding a kind is arithmetic, no join
  kind Enum8('native' = 1, 'python' = 2, 'os_kernel' = 3, 'gpu_api' = 4, 'gpu_kernel' = 5, 'layer' = 6, 'op' = 7, 'nvtx' = 8, 'sass' = 9, 'stall' = 10, 'instruction' = 11),
  name String CODEC(ZSTD(3)), file String CODEC(ZSTD(3)), mapping LowCardinality(String), line UInt32,
  module_path String CODEC(ZSTD(3)), module_class LowCardinality(String), model_key LowCardinality(String), last_seen Date,
  INDEX name_ngrams lower(name) TYPE ngrambf_v1(3, 8192, 2, 0) GRANULARITY 1
)
ENGINE = {{replicated}}ReplacingMergeTree(last_seen)
ORDER BY (tenant_id, frame_id)
TTL last_seen + INTERVAL 1090 DAY DELETE
SETTINGS {{deduplication_window}};

-- Completion and "top values": one row per tenant, day, field, value.
CREATE TABLE IF NOT EXISTS field_values {{on_cluster}}
(
  tenant_id LowCardinality(String), day Date, field LowCardinality(String), value String CODEC(ZSTD(1)), samples UInt64,
  last_seen SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = {{replicated}}SummingMergeTree(samples)
PARTITION BY toYYYYMM(day)
ORDER BY (tenant_id, field, day, value)
TTL day + INTERVAL 190 DAY DELETE
SETTINGS {{deduplication_window}};

CREATE MATERIALIZED VIEW IF NOT EXISTS field_values_mv {{on_cluster}} TO field_values AS
SELECT tenant_id, toDate(bucket) AS day, pair.1 AS field, pair.2 AS value, count() AS samples, max(ts) AS last_seen
FROM samples
ARRAY JOIN arrayFilter(x -> x.2 != '', arrayConcat(
  [('host.name', host_name::String), ('process.executable.name', exe_name::String), ('script.name', script_name::String),
   ('container.name', container_name::String), ('k8s.namespace.name', k8s_namespace::String), ('k8s.deployment.name', k8s_deployment::String),
   ('k8s.pod.name', k8s_pod::String), ('cluster.name', cluster_name::String), ('slurm.job.id', slurm_job_id::String),
   ('slurm.job.name', slurm_job_name::String), ('slurm.job.user', slurm_job_user::String), ('job.tag', job_tag::String),
   ('thread.name', thread_name::String), ('gpu.name', gpu_name::String), ('gpu.uuid', gpu_uuid::String)],
  arrayMap(t -> ('user.tag', t::String), user_tags))) AS pair
GROUP BY tenant_id, day, field, value;
