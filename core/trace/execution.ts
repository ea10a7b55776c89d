// What a trace becomes: weighted stacks with Model Layer frames, and what a person must know to trust them. Sums of the samples equal the totals exactly.
import type { FrameKindName } from "#schema/frame-kinds.ts";
import type { JsonValue } from "./read/json-value.ts";

export type ExecutionFrame = {
  kind: FrameKindName; // layer, python, op, gpu_api, gpu_kernel
  name: string;
  file: string; // Python frames; "" otherwise
  line: number; // first line of the function; 0 = unknown
  modulePath: string; // layer frames; "" for the root of a recorded model
  moduleClass: string; // layer frames
};

export type ExecutionSample = {
  stack: number; // index into stacks
  value: number; // in the unit of the profile type: ns, or a count (samples)
  count: number; // kernels, operator calls or samples behind the value
  step: number; // number of an ExecutionStep; 0 = none
};

// "" = the mark does not say, or there is none.
export type StepPhase = "" | "prefill" | "decode" | "mixed" | "capture";

export type ExecutionStep = {
  number: number; // ProfilerStep number, else 1, 2, 3 in order of the engine's marks or of the root module's calls
  label: string; // the mark as written; "" = a call of the root module
  phase: StepPhase;
  prefillRequests: number; // requests and tokens: 0 where the mark does not say
  prefillTokens: number;
  decodeRequests: number;
  decodeTokens: number;
  startNs: number; // on the host, since the first event
  durationNs: number; // on the host
  kernels: number; // launched in it
  value: number; // ns of their time, added up
  busyNs: number; // ns in which at least one of them ran, per GPU, added up over GPUs
};

// Times of every call of a module, inclusive, in order of start.
export type ModuleCalls = {
  gpuNs: number[]; // 0 = the call launched nothing
  cpuNs: number[]; // how long it lasted on the host; NaN = a graph replay, which has no host call
  step: number[]; // 0 = none
};

export type ExecutionModule = {
  frame: number;
  parent: number; // index into modules of the module it was first called in; -1 = a root
  depth: number; // 0 = a root
  calls: ModuleCalls;
};

export type ExecutionDevice = {
  device: number; // as the file numbers it; -1 = it does not say
  name: string; // "" = the file does not name it
  streams: number;
  kernels: number;
  value: number; // ns of its kernels, added up
  busyNs: number; // ns in which at least one of them ran
};

export type ExecutionCopy = { kind: string; count: number; durationNs: number; bytes: number }; // bytes: 0 where the file does not say

export type ProfiledRequest = { label: string; inputTokens: number; outputTokens: number; latencyNs: number }; // label: Fast, Typical, Slow; latencyNs: of the real request

// Of what lies in no module: when it ran, against the module calls of the file.
export const outsidePlaces = ["before", "between", "after"] as const;
export type OutsidePlace = (typeof outsidePlaces)[number];

export type ModuleOperation = {
  module: number; // frame; -1 = outside any module
  op: string;
  calls: number;
  cpuNs: number; // on the host, what it called included
  outside?: OutsidePlace; // only of operators outside any module; absent: not known, as below
};

export type KernelUse = {
  module: number; // frame of the innermost module; -1 = outside any
  op: string; // the outermost operator below that module; "" = none
  kernel: string;
  grid: string; // as the file writes it, "[64, 1, 1]"; "" = not recorded, as all below
  block: string;
  dims: string; // of the operator's inputs, "[[1, 4096], [4096, 4096]]"
  dtypes: string; // of the operator's inputs
  count: number;
  value: number; // ns
  outside?: OutsidePlace;
};

export const gapReasons = ["launched before capture", "launch not recorded", "graph replay", "collective over gradients", "backward, module unknown", "outside any module"] as const;
export type GapReason = (typeof gapReasons)[number];
export type ExecutionGap = { reason: GapReason; kernels: number; value: number };

export type PathSource = "none" | "recorded" | "aligned" | "inferred";

export type Execution = {
  profileType: "cuda" | "cpu_op" | "cpu" | "samples" | "wall"; // cuda where the file has GPU kernels; the others only where it has none
  device: string; // shown, e.g. "NVIDIA H100 80GB HBM3"
  gpuNames: string[]; // of the devices kernels ran on, as far as the file names them
  recordedAtNs: bigint; // Unix ns of the first event; 0n = the file has no absolute time
  durationNs: number; // first to last event
  events: number;
  pathSource: PathSource;
  modelName: string; // "" = unknown
  modelKey: string; // 32 hex digits; "" = unknown
  frames: ExecutionFrame[];
  stacks: Uint32Array[]; // indices into frames, root first
  samples: ExecutionSample[];
  totals: { kernels: number; value: number; moduleValue: number }; // kernels: operator calls for cpu_op
  gaps: ExecutionGap[]; // everything that is below no module, by reason
  steps: ExecutionStep[];
  modules: ExecutionModule[]; // every module seen, called or not while something ran; in pre-order
  operations: ModuleOperation[]; // operators that lie in no other operator, by module and name, the longest first
  kernelUses: KernelUse[]; // kernels by module, operator and sizes, the longest first; sums equal the totals
  devices: ExecutionDevice[]; // GPUs that ran kernels
  copies: ExecutionCopy[]; // memory copies and fills, by kind, the longest first; they are no kernels
  rank: number; // of the process among those that ran together; -1 = the file does not say, as most of one process do not
  worldSize: number; // how many those are; 0 = the file does not say
  request: ProfiledRequest | null; // the request profile_serve recorded it for
  busyNs: number; // ns in which at least one kernel ran, per GPU, added up over GPUs
  found: FoundCalls;
  notes: string[]; // repairs, skips and doubts, one sentence each
  forward: JsonValue; // the forward analysis where the recorder put it into the file; else null
  recordedShape: JsonValue; // the model's structure where the recorder put it into the file; else null
};

export type FoundCalls = {
  moduleCalls: number;
  pythonFunctions: number;
  operators: number;
  launches: number; // runtime and driver calls of any kind
  copies: number; // memory copies and fills on the GPU; they are no kernels
  copyNs: number;
  withStack: boolean | undefined; // as the file says
};

// Name of the frame of a module whose path is known; core/shape/frame-name.ts holds the rule.
export type ModuleFrameName = (module: { path: string; className: string; modelName: string }) => string;
