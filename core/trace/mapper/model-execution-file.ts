// The parts of model_execution.json (vllm_arch_map's profiler_to_diagram.py) that are read. Times are µs, rounded to 0.1. The file shows the first call of the
// first nn.Module of a recording; runs of siblings of one class are one node: the first of them, with the host times of all.
export type ModelExecutionFile = {
  model?: string; // "?" = unknown
  device?: string; // its own tool always writes "cuda"
  kernel_summary?: Record<string, { count?: number; total_dur_us?: number }>; // of the whole recording, the longest 30
  module_tree?: FileModule;
  pre_model_ops?: FileOp[];
  post_model_ops?: FileOp[]; // with those of all later calls of the model that lie in no module
  notes?: string[]; // only ours has them
  stats?: { total_cpu_ops?: number; total_kernels?: number; total_nn_module_events?: number }; // of the whole recording
};

export type FileModule = {
  class?: string;
  instance?: number; // torch's own, per class and process
  dur_us?: number; // on the host
  children?: FileModule[];
  ops?: FileOp[];
  repeat?: number; // copies this node stands for
  per_layer_dur?: number[]; // their host times
  all_layer_durs?: number[]; // the same; inside another run instead the host times of this place in each of its copies
};

export type FileOp = {
  op?: string;
  dur_us?: number; // on the host, what it called included
  dims?: string; // of its inputs, "[1,64] → [64,64]"
  args?: { dtype?: string }[];
  gpu?: string; // the first kernel or copy it launched itself; a name is cut at 80 characters
  gpu_display?: string; // the same, of a sub_op
  gpu_dur_us?: number;
  gpu_count?: number; // kernels behind that time where there are several; only ours writes it
  sub_ops?: FileOp[];
  all_layer_durs?: number[]; // host times of this place in each copy of the run around it
};
