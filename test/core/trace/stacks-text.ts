// Executions from profiles as text: one line a sample, "kind:name" joined root first, then value and count.
import type { Result } from "#core/result.ts";
import type { Execution } from "#core/trace/execution.ts";
import type { Refusal } from "#core/trace/refusal.ts";

export function accepted(result: Result<Execution, Refusal>): Execution {
  if (!result.ok) throw new Error(result.error.reason);
  return result.value;
}

export function stackLines({ frames, stacks, samples }: Execution): string[] {
  return samples.map(({ stack, value, count }) => {
    const path = [...stacks[stack]!].map((frame) => {
      const { kind, name, file, line } = frames[frame]!;
      return `${kind}:${name}${file === "" ? "" : ` (${file}${line > 0 ? `:${line}` : ""})`}`;
    });
    return `${path.join(" > ")} | ${value} × ${count}`;
  });
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
