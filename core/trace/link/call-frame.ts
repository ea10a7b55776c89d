// Frames of calls that are no modules: Python functions ("modeling_qwen2.py(268): forward"), operators, launches, kernels.
import type { ExecutionFrame } from "../execution.ts";

const pythonCall = /^(.*)\((\d{1,9})\): (.*)$/s;
// Built-in functions carry the address of the object they belong to; without it equal calls are one frame.
const address = / at 0x[0-9a-fA-F]+/g;

export function pythonFrame(name: string): ExecutionFrame {
  const [, file = "", line = "0", fn = name] = pythonCall.exec(name) ?? [];
  return { ...plainFrame("python", fn.replace(address, "")), file, line: Number(line) };
}

export function plainFrame(kind: ExecutionFrame["kind"], name: string): ExecutionFrame {
  return { kind, name: name === "" ? "(no name)" : name, file: "", line: 0, modulePath: "", moduleClass: "" };
}
