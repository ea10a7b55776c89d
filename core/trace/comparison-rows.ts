// A comparison of two executions as rows of figures, on its basis: in total, or per call of the root. Modules that are equal in copies built alike are one row.
// Text and pages show the same rows.
import type { ComparedPhase, ExecutionComparison } from "#schema/api/execution-comparison.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { median } from "./call-statistics.ts";
import { rangeLabel } from "./module-statistics.ts";

export type ComparedRow = { name: string; a: number | null; b: number | null; difference: number | null; relative: number | null }; // null: that side has none

const row = (name: string, a: number, b: number): ComparedRow => ({ name, a, b, difference: b - a, relative: a === 0 ? null : b / a - 1 });

// What values of A and of B are divided by.
export function basisCalls({ a, b, basis }: ExecutionComparison): readonly [number, number] {
  return basis === "total" ? [1, 1] : [a.root!.calls, b.root!.calls];
}

export function totalRows(comparison: ExecutionComparison): ComparedRow[] {
  const { a, b, difference, relative } = comparison;
  const [callsA, callsB] = basisCalls(comparison);
  const based = (name: string, inA: number, inB: number) => row(name, inA / callsA, inB / callsB);
  return [
    { ...based(profileTypes[a.profileType].label, a.value, b.value), difference, relative },
    ...(a.moduleValue + b.moduleValue > 0 ? [based("inside modules", a.moduleValue, b.moduleValue)] : []), ...(a.busyNs + b.busyNs > 0 ? [based("GPU busy", a.busyNs, b.busyNs)] : []), based("recording", a.durationNs, b.durationNs),
    ...(a.valuePerToken !== null && b.valuePerToken !== null ? [row("per token", a.valuePerToken, b.valuePerToken)] : []),
  ];
}

export type PhaseRow = ComparedRow & { stepsA: number; stepsB: number; tokenA: number | null; tokenB: number | null }; // a, b: per step; token: per token

// On the GPU where any phase has time there, else on the host.
export function phaseRows({ phases }: ExecutionComparison): { onGpu: boolean; rows: PhaseRow[] } {
  const onGpu = phases.some(({ a, b }) => (a?.value ?? 0) + (b?.value ?? 0) > 0);
  const perStep = (phase: ComparedPhase | null): number | null => (phase === null ? null : onGpu ? phase.valuePerStep : phase.durationPerStepNs);
  const rows = phases.map(({ phase, a: inA, b: inB }): PhaseRow => {
    const [a, b] = [perStep(inA), perStep(inB)];
    const both = a === null || b === null ? { name: "", a, b, difference: null, relative: null } : row("", a, b);
    return { ...both, name: phase || "step", stepsA: inA?.steps ?? 0, stepsB: inB?.steps ?? 0, tokenA: inA?.valuePerToken ?? null, tokenB: inB?.valuePerToken ?? null };
  });
  return { onGpu, rows };
}

export type CategoryRow = ComparedRow & { kernelsA: number; kernelsB: number };

export function categoryRows(comparison: ExecutionComparison): CategoryRow[] {
  const [callsA, callsB] = basisCalls(comparison);
  return comparison.categories.map(({ category, a, b, difference, relative }) => ({ name: category, a: a.value / callsA, b: b.value / callsB, difference, relative, kernelsA: a.kernels, kernelsB: b.kernels }));
}

export type ModuleRow = ComparedRow & {
  in: "both" | "a" | "b";
  copies: number;
  class: string; // in A where A has it
  own: number; // difference that lies in no module it calls
  callA: number | null; // ns of one call, the median of the copies' medians
  callB: number | null;
};

// Those that differ most first; equal ones in the order of A, then of B.
export function moduleRows(comparison: ExecutionComparison): ModuleRow[] {
  type Module = ExecutionComparison["modules"][number];
  const groups = new Map<string, { side: ModuleRow["in"]; members: Module[] }>();
  for (const module of comparison.modules) {
    const side = module.b === null ? "a" : module.a === null ? "b" : "both";
    const group = groups.get(`${side} ${module.fold}`) ?? { side, members: [] };
    group.members.push(module);
    groups.set(`${side} ${module.fold}`, group);
  }
  const [callsA, callsB] = basisCalls(comparison);
  const rows = [...groups.values()].map(({ side, members }): ModuleRow => {
    const sum = (of: (member: Module) => number): number => members.reduce((total, member) => total + of(member), 0);
    const a = side === "b" ? null : sum((one) => one.a!.value) / callsA;
    const b = side === "a" ? null : sum((one) => one.b!.value) / callsB;
    const call = (which: "a" | "b"): number | null => {
      const { profileType } = comparison[which];
      return members[0]![which] === null ? null : median(members.map((one) => (profileType === "cuda" ? one[which]!.median : one[which]!.cpuMedian)).sort((one, other) => one - other));
    };
    return {
      name: rangeLabel(members.map(({ path }) => path)) || "the root", in: side, copies: members.length, class: (members[0]!.a ?? members[0]!.b)!.class, a, b, difference: sum(({ difference }) => difference),
      relative: a === null || a === 0 ? null : (b ?? 0) / a - 1, own: sum(({ ownDifference }) => ownDifference), callA: call("a"), callB: call("b"),
    };
  });
  return rows.sort((one, other) => Math.abs(other.difference!) - Math.abs(one.difference!));
}
