// What the name of a folded frame says about its kind. stackcollapse-perf marks kernel code _[k], inlined functions _[i] and compiled code of a runtime _[j];
// Python profilers write "function (file.py:12)" or, as torch.profiler does, "file.py(12): function". The process at the root ("java-?/10992") stays as written.
import type { StackFrame } from "../stack-execution.ts";

const annotation = /^(.*)_\[([kij])\]$/s;
const pythonAfter = /^(.+) \(([^()]*\.pyx?):(\d{1,9})\)$/s;
const pythonBefore = /^([^()]*\.pyx?)\((\d{1,9})\): (.+)$/s;

export function foldedFrame(name: string): StackFrame {
  const [, marked = "", mark = ""] = annotation.exec(name) ?? [];
  if (mark === "k") return { kind: "os_kernel", name: marked };
  if (mark === "i") return { kind: "native", name: `${marked} (inlined)` };
  if (mark === "j") return { kind: "native", name: `${marked} (jit)` };
  const after = pythonAfter.exec(name);
  if (after !== null) return { kind: "python", name: after[1]!, file: after[2]!, line: Number(after[3]) };
  const before = pythonBefore.exec(name);
  if (before !== null) return { kind: "python", name: before[3]!, file: before[1]!, line: Number(before[2]) };
  return { kind: "native", name };
}
