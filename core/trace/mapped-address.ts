// Frames of code without symbols, and what a mapping says about the code in it.
import type { StackFrame } from "./stack-execution.ts";

export type Mapping = { start: bigint; offset: bigint; file: string }; // address the file's byte `offset` is mapped at

// "libc-2.31.so+0x1f2e3": the place in the file, the same in every process; without a mapping the address itself.
export function addressFrame(address: bigint, mapping: Mapping | undefined): StackFrame {
  const kind = codeKind(mapping?.file ?? "", "");
  if (mapping === undefined || mapping.file === "") return { kind, name: `0x${address.toString(16)}` };
  const within = address - mapping.start + mapping.offset;
  return { kind, name: `${baseName(mapping.file)}+0x${(within >= 0n ? within : address).toString(16)}`, mapping: mapping.file };
}

export function codeKind(mapping: string, sourceFile: string): StackFrame["kind"] {
  if (/^\[?(guest\.)?kernel(\.|\]|$)|(^|\/)vmlinu[xz]/.test(mapping)) return "os_kernel";
  return /\.pyx?$/.test(sourceFile) ? "python" : "native";
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}
