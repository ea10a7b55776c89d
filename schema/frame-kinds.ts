// Frame kinds and profile types: wire number (schema/proto), the word in SQL, filters and JSON, and the label people read in the legend.

export const frameKinds = {
  native: { number: 1, label: "Native" },
  python: { number: 2, label: "Python" },
  os_kernel: { number: 3, label: "OS Kernel" },
  gpu_api: { number: 4, label: "CUDA Kernel Launch" },
  gpu_kernel: { number: 5, label: "CUDA Kernel" },
  layer: { number: 6, label: "Model Layer" },
  op: { number: 7, label: "Operator" },
  nvtx: { number: 8, label: "NVTX Range" },
  sass: { number: 9, label: "CUDA SASS Mnemonic" },
  stall: { number: 10, label: "CUDA Stall Reason" },
  instruction: { number: 11, label: "CUDA Instruction Offset" },
} as const;

export type FrameKindName = keyof typeof frameKinds;
export const frameKindNames = Object.keys(frameKinds) as FrameKindName[];

export function frameKindOfNumber(number: number): FrameKindName | undefined {
  return frameKindNames.find((name) => frameKinds[name].number === number);
}

export const profileTypes = {
  cuda: { number: 1, unit: "ns", label: "GPU time" },
  cuda_launch: { number: 2, unit: "count", label: "Kernel launches" },
  pc: { number: 3, unit: "count", label: "PC samples" },
  cpu: { number: 4, unit: "ns", label: "CPU time" },
  cpu_op: { number: 5, unit: "ns", label: "CPU operator time" },
  samples: { number: 6, unit: "count", label: "Samples" },
  wall: { number: 7, unit: "ns", label: "Wall-clock time" },
} as const;

export type ProfileTypeName = keyof typeof profileTypes;
export const profileTypeNames = Object.keys(profileTypes) as ProfileTypeName[];
