// The parts of a rocprofv3 results file (--output-format json) that are read. Every part may be missing: each is recorded only when its tracing was on.
export type RocprofFile = { "rocprofiler-sdk-tool"?: RocprofProcess[] };

export type RocprofProcess = {
  metadata?: { pid?: number };
  agents?: { id?: Handle; type?: number; name?: string; product_name?: string }[]; // type 2: a GPU
  strings?: {
    buffer_records?: { kind?: string; operations?: string[] }[]; // names of calls: by a record's kind, then its operation
    marker_api?: { key?: number; value?: string }[]; // texts of ranges by correlation id
  };
  kernel_symbols?: { kernel_id?: number; formatted_kernel_name?: string; demangled_kernel_name?: string; kernel_name?: string }[];
  buffer_records?: {
    kernel_dispatch?: (RocprofRecord & { dispatch_info?: { agent_id?: Handle; kernel_id?: number; queue_id?: Handle }; stream_id?: Handle })[];
    hip_api?: RocprofRecord[];
    marker_api?: RocprofRecord[];
    memory_copy?: (RocprofRecord & { bytes?: number })[];
  };
};

export type RocprofRecord = {
  kind?: number;
  operation?: number;
  thread_id?: number;
  correlation_id?: { internal?: number };
  start_timestamp?: number; // ns of the machine's clock, since boot
  end_timestamp?: number;
};
type Handle = { handle?: number };
