// The filter that keeps, or leaves out, the stacks with a frame, where a filter field is about such frames; added to the filter that is there.
import { pathPattern } from "#core/flamegraph/tables/path-pattern.ts";
import { both, type Condition, type Term } from "#core/filter/filter.ts";
import { parse } from "#core/filter/parser.ts";
import { print } from "#core/filter/printer.ts";
import type { FrameColumns } from "#schema/api/flamegraph.ts";

export function frameCondition(frames: FrameColumns, frame: number): Condition<string> | null {
  const [kind, name, path] = [frames.kind[frame], frames.name[frame] as string, frames.modulePath[frame] as string];
  const is = (field: string, value: string): Condition<string> => ({ kind: "condition", field, operator: "==", values: [value] });
  if (kind === "gpu_kernel") return is("kernel.name", name);
  if (kind !== "layer") return null;
  if (path === "") return is("model.name", name);
  if (!path.includes("*")) return is("module.path", path);
  const pattern = pathPattern(path); // of folded layers
  return pattern.ok ? { kind: "condition", field: "module.path", operator: "matches", values: [pattern.value.regex] } : null;
}

export function narrowedFilter(filter: string, condition: Condition<string>, side: "only" | "without"): string {
  const term: Term<string> = side === "only" ? condition : { kind: "not", operand: condition };
  return print(both(parse(filter).filter, term));
}
