// The import report as a person reads it: what was found, what could not be placed, what is missing, what that disables and how to record it next time.
// Control characters of a file never reach the terminal.
import { printable } from "#core/printable.ts";
import { countText, durationText, plural } from "#core/quantity.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import type { Execution, ExecutionGap } from "./execution.ts";
import { gapAdvice } from "./gap-advice.ts";
import { missingParts } from "./missing-parts.ts";

export function reportLines(execution: Execution): string[] {
  const { totals, gaps } = execution;
  const when = execution.recordedAtNs === 0n ? "recorded at an unknown time" : `recorded ${utcText(execution.recordedAtNs)}`;
  const lines = [
    `${execution.device} · ${when} · ${execution.durationNs === 0 ? "" : `${milliseconds(execution.durationNs)} · `}${plural(execution.events, "event", "events")}`,
    headline(execution),
    foundLine(execution),
  ];
  for (const gap of gaps) lines.push(`not in a module: ${gapText(gap, execution)} (${share(gap.value, totals.value)}): ${gapAdvice[gap.reason]}`);
  for (const part of missingParts(execution)) lines.push(`missing: ${part.what}. Without it: ${part.disables}. ${part.remedy}`);
  for (const note of execution.notes) lines.push(`note: ${note}`);
  return lines.map(printable);
}

function foundLine({ modules, found, steps, frames, stacks, profileType }: Execution): string {
  if (isSampled(profileType)) return `${plural(stacks.length, "stack", "stacks")} of ${plural(frames.length, "frame", "frames")}`;
  return [
    `${plural(modules.length, "module", "modules")} in ${plural(found.moduleCalls, "call", "calls")}`,
    plural(found.operators, "operator call", "operator calls"), plural(found.launches, "runtime call", "runtime calls"),
    ...(found.copies > 0 ? [`copies and fills: ${countText(found.copies)} (${milliseconds(found.copyNs)}, not counted as kernels)`] : []),
    ...(steps.length > 0 ? [plural(steps.length, "step", "steps")] : []),
  ].join(" · ");
}

// Profiles of formats that know nothing of GPUs, operators and modules.
const isSampled = (type: Execution["profileType"]): boolean => type !== "cuda" && type !== "cpu_op";

// "1,465 kernels · 45.43 ms GPU time · 31.76 ms (69.9 %) inside modules · 436 kernels (13.67 ms) launched before capture"
export function headline(execution: Execution): string {
  const { totals } = execution;
  const time = profileTypes[execution.profileType].label;
  if (execution.profileType === "samples") return work(totals.value, execution);
  if (isSampled(execution.profileType)) return `${milliseconds(totals.value)} ${time} in ${work(totals.kernels, execution)}`;
  return [
    work(totals.kernels, execution), `${milliseconds(totals.value)} ${time}`,
    `${milliseconds(totals.moduleValue)} (${share(totals.moduleValue, totals.value)}) inside modules`, ...execution.gaps.map((gap) => gapText(gap, execution)),
  ].join(" · ");
}

function gapText(gap: ExecutionGap, execution: Execution): string {
  return `${work(gap.kernels, execution)} (${milliseconds(gap.value)}) ${gap.reason}`;
}

const nouns: Record<Execution["profileType"], string> = { cuda: "kernel", cpu_op: "operator call", cpu: "sample", samples: "sample", wall: "record" };

function work(n: number, { profileType }: Execution): string {
  return plural(n, nouns[profileType], `${nouns[profileType]}s`);
}

// A time that is not nothing never reads as 0.00 ms.
export function milliseconds(ns: number): string {
  if (ns > 0 && ns < 1e4) return durationText(ns);
  return `${(ns / 1e6).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ms`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? "0.0 %" : `${((100 * part) / whole).toFixed(1)} %`;
}

function utcText(ns: bigint): string {
  return `${new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
