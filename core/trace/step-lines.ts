// The steps of a record as a table for people: each of a few; where they are many, one line per phase. Columns that nothing is known for are left out.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { printable } from "../printable.ts";
import { countText, durationText } from "../quantity.ts";
import { table } from "../table.ts";
import { median } from "./call-statistics.ts";

type Step = ExecutionRecord["steps"][number];

const shownMax = 12;
const labelMax = 40; // characters

export function stepLines({ steps }: ExecutionRecord): string[] {
  if (steps.length === 0) return [];
  const each = steps.length <= shownMax;
  const head = each ? ["step", "phase", "requests", "tokens", "GPU time", "GPU busy", "kernels", "on the host"] : ["phase", "steps", "requests", "tokens", "GPU time", "min", "median", "max", "on the host"];
  const rows = each ? steps.map(stepCells) : [...new Set(steps.map(({ phase }) => phase))].map((phase) => phaseCells(phase, steps.filter((step) => step.phase === phase)));
  const kept = head.map((_, column) => column).filter((column) => rows.some((row) => row[column] !== ""));
  const right = kept.flatMap((column, i) => (column >= (each ? 2 : 1) ? [i] : []));
  return [`Steps: ${countText(steps.length)}`, ...table(kept.map((column) => head[column]!), rows.map((row) => kept.map((column) => row[column]!)), right).split("\n").map((line) => `  ${line}`)];
}

function stepCells(step: Step): string[] {
  const { number, label, phase, value, busyNs, kernels, durationNs } = step;
  const name = label === "" ? `call ${number}` : label.length > labelMax ? `${label.slice(0, labelMax)}…` : label;
  return [printable(name), phase, ...batchCells([step]), timeText(value), timeText(busyNs), kernels === 0 ? "" : countText(kernels), durationText(durationNs)];
}

function phaseCells(phase: string, steps: readonly Step[]): string[] {
  const values = steps.map(({ value }) => value).sort((a, b) => a - b);
  const sum = (of: (step: Step) => number) => steps.reduce((total, step) => total + of(step), 0);
  const times = values.at(-1) === 0 ? ["", "", "", ""] : [sum(({ value }) => value), values[0]!, median(values), values.at(-1)!].map(durationText);
  return [phase || "not said", countText(steps.length), ...batchCells(steps), ...times, durationText(sum(({ durationNs }) => durationNs))];
}

// Requests and tokens, "prompt + generated"; "" where no mark says.
function batchCells(steps: readonly Step[]): [string, string] {
  const both = (prefill: "prefillRequests" | "prefillTokens", decode: "decodeRequests" | "decodeTokens"): string => {
    const parts = [prefill, decode].map((name) => steps.reduce((total, step) => total + step[name], 0)).filter((part) => part > 0);
    return parts.map(countText).join(" + ");
  };
  return [both("prefillRequests", "decodeRequests"), both("prefillTokens", "decodeTokens")];
}

function timeText(ns: number): string {
  return ns === 0 ? "" : durationText(ns);
}
