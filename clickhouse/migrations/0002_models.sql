-- Shapes are content-addressed and never change: shape_id = sha256 of the canonical text (docs/shape-format.md), recomputed by the consumer.
CREATE TABLE IF NOT EXISTS shapes {{on_cluster}}
(
  tenant_id LowCardinality(String), shape_id FixedString(64), body String CODEC(ZSTD(6)), modules UInt64, parameters UInt64, weight_bytes UInt64,
  root_class LowCardinality(String), architecture LowCardinality(String), stored_at DateTime('UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
ORDER BY (tenant_id, shape_id)
SETTINGS {{deduplication_window}};

-- One pipeline stage's piece. When all pp_size pieces are there the consumer merges them and writes model_shapes.
CREATE TABLE IF NOT EXISTS shape_parts {{on_cluster}}
(
  tenant_id LowCardinality(String), model_key FixedString(32), sizes LowCardinality(String), pp_rank UInt16, pp_size UInt16, part_hash FixedString(64),
  body String CODEC(ZSTD(6)), layout String CODEC(ZSTD(6)), stored_at DateTime('UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
ORDER BY (tenant_id, model_key, sizes, pp_rank)
SETTINGS {{deduplication_window}};

CREATE TABLE IF NOT EXISTS model_shapes {{on_cluster}}
(
  tenant_id LowCardinality(String), model_key FixedString(32), shape_id FixedString(64), layout_id FixedString(64), layout String CODEC(ZSTD(6)),
  parts Array(String), -- the part_hash of each pipeline stage; of a model in one piece its shape_id
  stored_at DateTime('UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
ORDER BY (tenant_id, model_key, shape_id, layout_id, parts)
SETTINGS {{deduplication_window}};

CREATE TABLE IF NOT EXISTS sightings {{on_cluster}}
(
  tenant_id LowCardinality(String), model_key FixedString(32), day Date, source Enum8('live' = 1, 'import' = 2, 'walk' = 3), tp_rank UInt16, pp_rank UInt16,
  host_name LowCardinality(String), machine_id LowCardinality(String), process_key UInt64, k8s_pod LowCardinality(String), container_name LowCardinality(String),
  part_hash LowCardinality(String), -- the structure this process ran; '' when it did not say
  -- 26.7 refuses an AggregatingMergeTree column that is neither in the key nor an aggregate: each says how copies merge
  tp_size SimpleAggregateFunction(max, UInt16), pp_size SimpleAggregateFunction(max, UInt16),
  served_name SimpleAggregateFunction(anyLast, String), name_or_path SimpleAggregateFunction(anyLast, String),
  architecture SimpleAggregateFunction(anyLast, String), root_class SimpleAggregateFunction(anyLast, String),
  exe_name SimpleAggregateFunction(anyLast, LowCardinality(String)), script_name SimpleAggregateFunction(anyLast, LowCardinality(String)),
  k8s_namespace SimpleAggregateFunction(anyLast, LowCardinality(String)), k8s_deployment SimpleAggregateFunction(anyLast, LowCardinality(String)),
  cluster_name SimpleAggregateFunction(anyLast, LowCardinality(String)), slurm_job_id SimpleAggregateFunction(anyLast, LowCardinality(String)),
  slurm_job_name SimpleAggregateFunction(anyLast, LowCardinality(String)), slurm_job_user SimpleAggregateFunction(anyLast, LowCardinality(String)),
  job_tag SimpleAggregateFunction(anyLast, LowCardinality(String)), user_tags SimpleAggregateFunction(anyLast, Array(String)),
  first_seen SimpleAggregateFunction(min, DateTime('UTC')), last_seen SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = {{replicated}}AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (tenant_id, model_key, day, source, host_name, machine_id, process_key, tp_rank, pp_rank, k8s_pod, container_name, part_hash)
TTL day + INTERVAL 190 DAY DELETE
SETTINGS {{deduplication_window}};
