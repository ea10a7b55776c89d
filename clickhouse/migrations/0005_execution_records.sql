-- What an execution did module by module, the document a client sent (schema/api/execution-record.ts), for as long as the execution's own row lives.
CREATE TABLE IF NOT EXISTS execution_records {{on_cluster}}
(
  tenant_id LowCardinality(String), execution_id FixedString(64), record String CODEC(ZSTD(3)), upload_id FixedString(64), imported_at DateTime('UTC'),
  retention_days UInt16, stored_at DateTime64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
PARTITION BY retention_days
ORDER BY (tenant_id, execution_id)
TTL imported_at + toIntervalDay(retention_days) DELETE
-- One record is up to 1 MiB, and asking for one reads a whole granule: ten of them by default.
SETTINGS index_granularity_bytes = 1048576, {{deduplication_window}};

-- The same by module, to follow one over executions. Step 0 is all steps together.
CREATE TABLE IF NOT EXISTS execution_nodes {{on_cluster}}
(
  tenant_id LowCardinality(String), execution_id FixedString(64), module_path String, module_class LowCardinality(String), step UInt32,
  calls UInt64, kernels UInt64, value UInt64, gpu_min UInt64, gpu_median UInt64, gpu_max UInt64, cpu_total UInt64, cpu_min UInt64, cpu_median UInt64, cpu_max UInt64,
  imported_at DateTime('UTC'), retention_days UInt16, stored_at DateTime64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(stored_at)
PARTITION BY retention_days
ORDER BY (tenant_id, module_path, execution_id, module_class, step)
TTL imported_at + toIntervalDay(retention_days) DELETE
SETTINGS {{deduplication_window}};
