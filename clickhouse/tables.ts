// The tables and the columns we write, once: inserts name their columns explicitly, so an older Worker survives a new column.

const string = "String";
const low = "LowCardinality(String)";
const source = "Enum8('live' = 1, 'import' = 2, 'walk' = 3)";
const hash = "FixedString(64)";
const microseconds = "Nullable(UInt64)";

export const tables = {
  samples: {
    tenant_id: low, profile_type: low, execution_id: low, retention_days: "UInt16", bucket: "DateTime('UTC')", ts: "DateTime('UTC')",
    cluster_name: low, host_name: low, exe_name: low, script_name: low, container_name: low, k8s_namespace: low, k8s_deployment: low, k8s_pod: low,
    slurm_job_id: low, slurm_job_name: low, slurm_job_user: low, job_tag: low, user_tags: "Array(String)", gpu_uuid: low, gpu_name: low, thread_name: low,
    stack_id: "UInt64", step: "UInt32", source, value: "UInt64", count: "UInt32",
  },
  stacks: { tenant_id: low, stack_id: "UInt64", frames: "Array(UInt64)", last_seen: "Date" },
  frames: {
    tenant_id: low, frame_id: "UInt64",
    kind: "Enum8('native' = 1, 'python' = 2, 'os_kernel' = 3, 'gpu_api' = 4, 'gpu_kernel' = 5, 'layer' = 6, 'op' = 7, 'nvtx' = 8, 'sass' = 9, 'stall' = 10, 'instruction' = 11)",
    name: string, file: string, mapping: low, line: "UInt32", module_path: string, module_class: low, model_key: low, last_seen: "Date",
  },
  shapes: {
    tenant_id: low, shape_id: hash, body: string, modules: "UInt64", parameters: "UInt64", weight_bytes: "UInt64", root_class: low, architecture: low,
    stored_at: "DateTime('UTC')",
  },
  shape_parts: {
    tenant_id: low, model_key: "FixedString(32)", sizes: low, pp_rank: "UInt16", pp_size: "UInt16", part_hash: hash, body: string, layout: string, stored_at: "DateTime('UTC')",
    run_id: string,
  },
  model_shapes: { tenant_id: low, model_key: "FixedString(32)", shape_id: hash, layout_id: hash, layout: string, parts: "Array(String)", stored_at: "DateTime('UTC')", run_id: string, parts_received_s: "UInt64" },
  sightings: {
    tenant_id: low, model_key: "FixedString(32)", day: "Date", source, tp_rank: "UInt16", pp_rank: "UInt16", host_name: low, machine_id: low,
    process_key: "UInt64", k8s_pod: low, container_name: low, part_hash: low, tp_size: "UInt16", pp_size: "UInt16", served_name: string, name_or_path: string,
    architecture: string, root_class: string, exe_name: low, script_name: low, k8s_namespace: low, k8s_deployment: low, cluster_name: low,
    slurm_job_id: low, slurm_job_name: low, slurm_job_user: low, job_tag: low, user_tags: "Array(String)", first_seen: "DateTime('UTC')",
    last_seen: "DateTime('UTC')", run_id: string,
  },
  uploads: {
    tenant_id: low, upload_id: hash, kind: low, received_at: "DateTime64(3, 'UTC')", stored_at: "DateTime64(3, 'UTC')", body_bytes: "UInt32", samples: "UInt32",
    sample_value: "UInt64", stacks: "UInt32", frames: "UInt32", agent_version: low, execution_id: low, part: "UInt32", parts: "UInt32",
  },
  executions: {
    tenant_id: low, execution_id: hash, name: string, device: string, profile_type: low,
    path_source: "Enum8('none' = 0, 'recorded' = 1, 'aligned' = 2, 'inferred' = 3)", model_name: string, model_key: string, recorded_at_ns: "Int64",
    duration_ns: "UInt64", imported_at: "DateTime('UTC')", parts: "UInt32", total_value: "UInt64", module_value: "UInt64", kernels: "UInt64", events: "UInt64",
    gap_reasons: "Array(String)", gap_kernels: "Array(UInt64)", gap_values: "Array(UInt64)", notes: "Array(String)", upload_id: hash,
    retention_days: "UInt16", stored_at: "DateTime64(3, 'UTC')",
  },
  execution_records: {
    tenant_id: low, execution_id: hash, record: string, upload_id: hash, imported_at: "DateTime('UTC')", retention_days: "UInt16", stored_at: "DateTime64(3, 'UTC')",
  },
  execution_nodes: {
    tenant_id: low, execution_id: hash, module_path: string, module_class: low, step: "UInt32", calls: "UInt64", kernels: "UInt64", value: "UInt64",
    gpu_min: "UInt64", gpu_median: "UInt64", gpu_max: "UInt64", cpu_total: "UInt64", cpu_min: "UInt64", cpu_median: "UInt64", cpu_max: "UInt64",
    imported_at: "DateTime('UTC')", retention_days: "UInt16", stored_at: "DateTime64(3, 'UTC')",
  },
  workloads: {
    tenant_id: low, workload_id: hash, part: "UInt32", parts: "UInt32", name: string, label: string, tool: low, tool_version: low, engine: low, model_name: low, layers: "UInt32",
    started_at: "Nullable(DateTime('UTC'))", date_text: string, requests: "UInt32", failed: "UInt32", latency_estimated: "Bool", load_strategy: string,
    load_names: "Array(String)", load_values: "Array(Float64)", stated_names: "Array(String)", stated_values: "Array(Float64)", computed_names: "Array(String)", computed_values: "Array(Float64)",
    aggregate_engines: "Array(String)", aggregate_metrics: "Array(String)", aggregate_values: "Array(Float64)", aggregate_observations: "Array(Float64)", notes: "Array(String)",
    received_at: "DateTime64(3, 'UTC')", retention_days: "UInt16", stored_at: "DateTime64(3, 'UTC')",
  },
  workload_requests: {
    tenant_id: low, workload_id: hash, name: low, engine: low, model_name: low, started_at: "DateTime('UTC')", request: "UInt32", start_us: microseconds, client_queue_us: microseconds,
    queue_us: microseconds, prefill_us: microseconds, ttft_us: microseconds, latency_us: microseconds, input_tokens: "Nullable(UInt32)", output_tokens: "Nullable(UInt32)",
    itl_count: "UInt32", itl_p50_us: microseconds, itl_p90_us: microseconds, itl_p99_us: microseconds, itl_max_us: microseconds, spike_at_us: "Array(UInt64)", spike_gap_us: "Array(UInt64)",
    failed: "Bool", error: low, retention_days: "UInt16", stored_at: "DateTime('UTC')",
  },
  engine_metrics: {
    tenant_id: low, metric: low, ts: "DateTime('UTC')", engine: low, host_name: low, model_name: low, labels: low, value: "Float64", retention_days: "UInt16",
  },
} as const satisfies Record<string, Record<string, string>>;

export type TableName = keyof typeof tables;

// Filled by materialized views only; they hold a tenant's rows all the same, so every wall covers them too.
export const rollupTables = ["samples_1h_by_exe", "samples_1h_by_deployment", "field_values", "engine_metrics_1h", "engine_metrics_1d"] as const;

export const tenantTables: readonly string[] = [...Object.keys(tables), ...rollupTables];
