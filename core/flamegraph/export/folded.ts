// Folded stacks, "root;caller;leaf 12", one line for each stack that has value of its own. The format has no escape: what would break a line stands as another
// character, and Python functions and kernel code are written the way its readers know them. Counts and what else a frame is are not held.
import type { Frame } from "../stacks.ts";
import { noFrames, noName, ownStacks, type ProfileTree } from "./profile-tree.ts";

export function* foldedParts(tree: ProfileTree): Generator<string> {
  const names = tree.frames.map(frameText);
  for (const { node, path } of ownStacks(tree)) {
    if (tree.self[node]! > 0n) yield foldedLine(path.map((frame) => names[frame]!), tree.self[node]!);
  }
}

// A root that begins like a comment would be one, and a leaf that ends in a number would be a second value, as the difference of two profiles has it.
export function foldedLine(names: readonly string[], value: bigint | number): string {
  const stack = names.length === 0 ? noFrames : names.join(";");
  return `${stack.replace(/^(?=#|\/\/)/, "_").replace(/ (?=\d+(\.\d*)?$)/, "_")} ${value}\n`;
}

// A semicolon becomes a colon; control characters and other ends of a line become a space.
export function foldedName(name: string): string {
  return name.replaceAll(";", ":").replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ").trim() || noName;
}

// "forward (model.py:12)" as Python's profilers write it, "do_idle_[k]" as stackcollapse-perf does.
function frameText({ kind, name, file, line }: Frame): string {
  if (kind === "os_kernel") return `${foldedName(name)}_[k]`;
  return foldedName(kind === "python" && /^[^()]*\.pyx?$/.test(file) ? `${name} (${file}:${line})` : name);
}
