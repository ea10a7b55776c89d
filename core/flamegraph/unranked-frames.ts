// Frames that never rank in a table of functions: a processor or thread with nothing to do, and what measures. They stay in the flamegraph, and the table tells
// their value apart. What such a frame calls is ranked as ever: a recorder's own main() holds all the work there is.
// A frame is recognised by the first line all of whose patterns (RE2, of the name, the file, the mapping) match. docs/flamegraph.md says the same in words.
import { javascriptRegex } from "#core/regex.ts";
import type { FrameKindName } from "#schema/frame-kinds.ts";
import type { Frame } from "./stacks.ts";

export const unrankedReasons = ["idle", "profiler"] as const;
export type UnrankedReason = (typeof unrankedReasons)[number];

// Kinds that a table of functions ranks, and that can be unranked.
export const functionKinds = ["native", "python", "os_kernel", "gpu_api", "op", "nvtx"] as const satisfies readonly FrameKindName[];

export type UnrankedColumn = "name" | "file" | "mapping";
export type UnrankedRule = {
  readonly reason: UnrankedReason;
  readonly kinds: readonly (typeof functionKinds)[number][];
  readonly patterns: Readonly<Partial<Record<UnrankedColumn, string>>>;
  readonly example: Readonly<Partial<Record<UnrankedColumn, string>>>;
};

const compiledCode = ["native", "os_kernel"] as const;

export const unrankedRules: readonly UnrankedRule[] = [
  {
    reason: "idle", kinds: compiledCode,
    patterns: { name: String.raw`^(swapper(/\d+|-\?/\d+)?|do_idle|cpu_idle(_loop)?|cpu_startup_entry|cpuidle_(enter|enter_state|idle_call)|call_cpuidle|default_idle(_call)?|arch_cpu_idle|(pv_)?native_safe_halt|intel_idle\w*|acpi_(safe_halt|idle_enter|idle_do_entry)|mwait_idle\w*|poll_idle)$` },
    example: { name: "native_safe_halt" },
  },
  { reason: "idle", kinds: ["native"], patterns: { name: String.raw`^\(idle\)$` }, example: { name: "(idle)" } }, // V8
  { reason: "idle", kinds: ["native"], patterns: { name: String.raw`^(__)?(epoll_p?wait2?|p?poll|p?select|pthread_cond_(timed|clock)?wait(@.*)?)$` }, example: { name: "pthread_cond_wait@@GLIBC_2.3.2" } },
  { reason: "idle", kinds: ["python"], patterns: { name: "^wait$", file: String.raw`(^|/)threading\.py$` }, example: { name: "wait", file: "threading.py" } },
  { reason: "idle", kinds: ["python"], patterns: { name: "^(select|poll)$", file: String.raw`(^|/)selectors\.py$` }, example: { name: "select", file: "/usr/lib/python3.12/selectors.py" } },
  {
    reason: "profiler", kinds: compiledCode, patterns: { mapping: String.raw`(^|/)(liblamella(cuda|rocm)profiler\.so|lamella-profiler|libcupti|libkineto|libroctracer|librocprofiler|libnvperf)` },
    example: { mapping: "/opt/lamella/liblamellacudaprofiler.so" },
  },
  {
    reason: "profiler", kinds: ["python"], patterns: { file: String.raw`(^|/)torch/(autograd/)?profiler(/|_\w+\.py$|\.py$)|(^|/)cProfile\.py$|^lamella/|(^|/)(site|dist)-packages/lamella/` },
    example: { file: "torch/autograd/profiler.py" },
  },
  { reason: "profiler", kinds: ["python"], patterns: { name: String.raw`torch\._C\._profiler\.|_(enable|disable)_profiler\b|\b_?kineto_(step|available)\b` }, example: { name: "<built-in method __exit__ of torch._C._profiler.RecordFunctionFast object>" } },
  {
    reason: "profiler", kinds: ["native", "gpu_api", "op", "nvtx"],
    patterns: { name: String.raw`^(ProfilerStep#\d+|PyTorch Profiler \(\d+\)|Activity Buffer Request|Buffer Flush|Instrumentation|cu(da)?Profiler(Start|Stop)|(torch::(autograd::)?profiler|libkineto|kineto)::.*)$` },
    example: { name: "ProfilerStep#12" },
  },
];

const compiled = unrankedRules.map(({ reason, kinds, patterns }) => ({ reason, kinds: new Set<FrameKindName>(kinds), tests: Object.entries(patterns).map(([column, pattern]) => ({ column: column as UnrankedColumn, regex: javascriptRegex(pattern)! })) }));

export function unrankedReason(frame: Pick<Frame, "kind" | UnrankedColumn>): UnrankedReason | null {
  return compiled.find(({ kinds, tests }) => kinds.has(frame.kind) && tests.every(({ column, regex }) => regex.test(frame[column])))?.reason ?? null;
}
