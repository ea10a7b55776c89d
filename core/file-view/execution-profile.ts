// What a trace became → the stacks that a flamegraph is folded from: one a path, the values of its samples added up.
import type { Frame, StackProfile, WeightedStack } from "#core/flamegraph/stacks.ts";
import type { Execution } from "#core/trace/execution.ts";

export function executionProfile({ profileType, frames, stacks, samples }: Execution): StackProfile {
  const [values, counts] = [new BigInt64Array(stacks.length), new BigInt64Array(stacks.length)];
  for (const { stack, value, count } of samples) {
    values[stack]! += BigInt(value);
    counts[stack]! += BigInt(count);
  }
  // Without the model's key: a file's model is in no tenant, so nothing may lead to its page.
  const named = frames.map(({ kind, name, file, line, modulePath, moduleClass }): Frame => ({ kind, name, file, line, mapping: "", modulePath, moduleClass, modelKey: "" }));
  const weighted = stacks.map((stack, at): WeightedStack => ({ frames: [...stack], value: values[at]!, count: counts[at]! }));
  return { profileType, frames: named, stacks: weighted.filter(({ value, count }) => value !== 0n || count !== 0n) };
}
