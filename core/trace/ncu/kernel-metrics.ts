// What Nsight Compute measured of one launch of a kernel. It joins the kernels of an execution by name: `name` is the demangled name as ncu prints it (which may
// leave out template arguments, `--kernel-name-base function`), so a join compares whole names first, then the name without template and argument list.
export type KernelMetrics = {
  name: string;
  launches: number; // launches the figures stand for: 1, or several in a per-kernel summary
  durationNs: number | null;
  memoryPercent: number | null; // of the peak: the busiest part of the memory system
  computePercent: number | null; // of the peak: SM throughput
  dramPercent: number | null; // of the peak: device memory alone
  bottleneck: Bottleneck | null; // null = one of the two percentages is missing
};

export type Bottleneck = {
  kind: "memory bound" | "compute bound" | "latency bound";
  reason: string; // which threshold says so, with the figures
};

// Nsight Compute's own rule (section Speed Of Light): under 60 % of both peaks a kernel waits for something else; over 80 % it is at the limit of the part it uses most.
const latencyPercent = 60;
const saturatedPercent = 80;

export function bottleneckOf(memoryPercent: number, computePercent: number): Bottleneck {
  const figures = `memory ${memoryPercent.toFixed(1)} %, compute ${computePercent.toFixed(1)} % of peak`;
  if (memoryPercent < latencyPercent && computePercent < latencyPercent) return { kind: "latency bound", reason: `${figures}: both under ${latencyPercent} %` };
  const kind = memoryPercent >= computePercent ? "memory bound" : "compute bound";
  const highest = Math.max(memoryPercent, computePercent);
  return { kind, reason: `${figures}: ${highest >= saturatedPercent ? `at the limit (${saturatedPercent} % or more)` : `${latencyPercent} % or more, below the limit of ${saturatedPercent} %`}` };
}
