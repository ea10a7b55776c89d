// Two records → what differs, by module path, by kernel category and by phase. Of a root that ran a different number of times in both, values are compared per
// call of it. Inferred paths (Class[n]) say something about other inferred paths only. Linear in both records, but for sorting.
import type { ComparedExecution, ComparedModule, ComparedPhase, ExecutionComparison } from "#schema/api/execution-comparison.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { foldModules } from "./fold-modules.ts";

type Step = ExecutionRecord["steps"][number];

export function compareRecords(a: ExecutionRecord, b: ExecutionRecord): ExecutionComparison {
  const [sideA, sideB] = [sideOf(a), sideOf(b)];
  const perCall = sideA.root !== null && sideB.root !== null && sideA.root.path === sideB.root.path && sideA.root.calls > 0 && sideB.root.calls > 0 && sideA.root.calls !== sideB.root.calls;
  const difference = differing(perCall ? sideA.root!.calls : 1, perCall ? sideB.root!.calls : 1);
  const modules = comparedModules(a, b, difference);
  return {
    a: sideA, b: sideB, basis: perCall ? "root call" : "total", ...difference(sideA.value, sideB.value), notes: notesOf(a, b, sideA, sideB),
    categories: comparedCategories(a, b, difference), phases: comparedPhases(a.steps, b.steps), modules, modulesTotal: modules.length,
    modulesOnlyInA: modules.filter((one) => one.b === null).length, modulesOnlyInB: modules.filter((one) => one.a === null).length,
  };
}

type Difference = (a: number, b: number) => { difference: number; relative: number | null };

function differing(callsA: number, callsB: number): Difference {
  return (a, b) => ({ difference: Math.round(b / callsB - a / callsA), relative: a === 0 ? null : (b * callsA) / (a * callsB) - 1 });
}

function sideOf({ profileType, device, modelName, pathSource, totals, durationNs, modules, texts, steps }: ExecutionRecord): ComparedExecution {
  let root = -1;
  for (let row = 0; row < modules.parent.length; row++) if (modules.parent[row]! < 0 && (root < 0 || modules.value[row]! > modules.value[root]!)) root = row;
  const calls = root < 0 ? 0 : modules.calls[root]!;
  const told = steps.filter((step) => step.phase !== "capture" && tokensOf(step) > 0); // a capture's tokens are padding
  const tokens = sum(told, tokensOf);
  const toldValue = sum(told, (step) => step.value);
  return {
    profileType, device, modelName, pathSource, root: root < 0 ? null : { path: texts[modules.path[root]!]!, class: texts[modules.class[root]!]!, calls },
    kernels: totals.kernels, value: totals.value, moduleValue: totals.moduleValue, busyNs: totals.busyNs, durationNs,
    valuePerCall: calls === 0 ? null : Math.round(totals.value / calls), tokens, valuePerToken: tokens === 0 || toldValue === 0 ? null : Math.round(toldValue / tokens),
  };
}

function notesOf(a: ExecutionRecord, b: ExecutionRecord, { root: rootA }: ComparedExecution, { root: rootB }: ComparedExecution): string[] {
  const notes: string[] = [];
  const label = ({ profileType }: ExecutionRecord) => profileTypes[profileType].label;
  if (a.profileType !== b.profileType) notes.push(`A measures ${label(a)}, B ${label(b)}: their values do not compare, calls and structure do`);
  if (!comparable(a, b)) notes.push(`The module paths of ${a.pathSource === "inferred" ? "A" : "B"} are inferred (Class[n]), the other's are real: no module of one is found in the other`);
  if (rootA !== null && rootB !== null && rootA.path !== rootB.path && rootA.calls !== rootB.calls) {
    notes.push(`The outermost modules differ, and so do their calls (${rootA.class} ${rootA.calls}, ${rootB.class} ${rootB.calls}): totals are compared as they are`);
  }
  for (const [name, { modulesLeftOut }] of [["A", a], ["B", b]] as const) if (modulesLeftOut > 0) notes.push(`The record of ${name} has no room for its ${modulesLeftOut} shortest modules: they count in what holds them`);
  return notes;
}

function comparable(a: ExecutionRecord, b: ExecutionRecord): boolean {
  return a.pathSource === "none" || b.pathSource === "none" || (a.pathSource === "inferred") === (b.pathSource === "inferred");
}

function comparedCategories(a: ExecutionRecord, b: ExecutionRecord, difference: Difference): ExecutionComparison["categories"] {
  const none = { kernels: 0, value: 0 };
  const byName = ({ categories }: ExecutionRecord) => new Map(categories.map(({ category, kernels, value }) => [category, { kernels, value }]));
  const [inA, inB] = [byName(a), byName(b)];
  const rows = [...new Set([...inA.keys(), ...inB.keys()])].map((category) => {
    const [ofA, ofB] = [inA.get(category) ?? none, inB.get(category) ?? none];
    return { category, a: ofA, b: ofB, ...difference(ofA.value, ofB.value) };
  });
  return rows.sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference) || (one.category < other.category ? -1 : 1));
}

const phases = ["prefill", "decode", "mixed", "", "capture"] as const;

function comparedPhases(a: readonly Step[], b: readonly Step[]): ExecutionComparison["phases"] {
  return phases.flatMap((phase) => {
    const [inA, inB] = [phaseOf(a, phase), phaseOf(b, phase)];
    return inA === null && inB === null ? [] : [{ phase, a: inA, b: inB, difference: inA === null || inB === null ? null : inB.valuePerStep - inA.valuePerStep }];
  });
}

export function phaseOf(all: readonly Step[], phase: Step["phase"]): ComparedPhase | null {
  const steps = all.filter((step) => step.phase === phase);
  if (steps.length === 0) return null;
  const value = sum(steps, (step) => step.value);
  const durationNs = sum(steps, (step) => step.durationNs);
  const tokens = sum(steps, phase === "prefill" ? (step) => step.prefillTokens : phase === "decode" ? (step) => step.decodeTokens : tokensOf);
  return {
    steps: steps.length, value, busyNs: sum(steps, (step) => step.busyNs), durationNs, tokens, valuePerStep: Math.round(value / steps.length),
    valuePerToken: tokens === 0 || value === 0 ? null : Math.round(value / tokens), durationPerStepNs: Math.round(durationNs / steps.length),
  };
}

function tokensOf({ prefillTokens, decodeTokens }: Step): number {
  return prefillTokens + decodeTokens;
}

function comparedModules(a: ExecutionRecord, b: ExecutionRecord, difference: Difference): ExecutionComparison["modules"] {
  const [ownA, ownB] = [ownValues(a), ownValues(b)];
  const [foldA, foldB] = [foldOfRows(a), foldOfRows(b)];
  const rows = pairs(a, b).map(([rowA, rowB]) => {
    const [inA, inB] = [rowA < 0 ? null : moduleAt(a, rowA, ownA), rowB < 0 ? null : moduleAt(b, rowB, ownB)];
    return {
      path: rowA < 0 ? b.texts[b.modules.path[rowB]!]! : a.texts[a.modules.path[rowA]!]!, a: inA, b: inB, ...difference(inA?.value ?? 0, inB?.value ?? 0),
      ownDifference: difference(inA?.own ?? 0, inB?.own ?? 0).difference, fold: rowA < 0 ? a.modules.parent.length + foldB[rowB]! : foldA[rowA]!,
    };
  });
  return rows.sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference)); // stable: else in the order of A, then of B
}

// Rows of A and B with the same path, -1 = the other has none. A path that is there several times (a module that was replaced) pairs by class first, then in order.
function pairs(a: ExecutionRecord, b: ExecutionRecord): [number, number][] {
  const partner = a.modules.path.map(() => -1);
  const taken = new Set<number>();
  const path = ({ modules, texts }: ExecutionRecord, row: number): string => texts[modules.path[row]!]!;
  const pathAndClass = (record: ExecutionRecord, row: number): string => `${path(record, row)}\0${record.texts[record.modules.class[row]!]!}`;
  for (const key of comparable(a, b) ? [pathAndClass, path] : []) {
    const waiting = new Map<string, number[]>(); // rows of B, the first last
    for (let row = b.modules.parent.length - 1; row >= 0; row--) {
      if (taken.has(row)) continue;
      const rows = waiting.get(key(b, row));
      if (rows === undefined) waiting.set(key(b, row), [row]);
      else rows.push(row);
    }
    partner.forEach((known, row) => {
      const found = known >= 0 ? undefined : waiting.get(key(a, row))?.pop();
      if (found === undefined) return;
      partner[row] = found;
      taken.add(found);
    });
  }
  return [...partner.map((other, row): [number, number] => [row, other]), ...b.modules.path.flatMap((_, row): [number, number][] => (taken.has(row) ? [] : [[-1, row]]))];
}

function moduleAt({ modules, texts }: ExecutionRecord, row: number, own: readonly number[]): ComparedModule {
  const { calls, kernels, value, gpu, cpu } = modules;
  return {
    class: texts[modules.class[row]!]!, calls: calls[row]!, kernels: kernels[row]!, value: value[row]!, own: own[row]!, median: gpu.median[row]!, cpuTotal: cpu.total[row]!, cpuMedian: cpu.median[row]!,
  };
}

// Time of a module itself: without the modules called in it. A module that others call too stands where it was called first, so a rest is never below 0.
function ownValues({ modules: { parent, value } }: ExecutionRecord): number[] {
  const own = [...value];
  parent.forEach((holder, row) => holder >= 0 && (own[holder]! -= value[row]!));
  return own.map((rest) => Math.max(0, rest));
}

function foldOfRows(record: ExecutionRecord): Int32Array {
  const fold = new Int32Array(record.modules.parent.length);
  foldModules(record).forEach(({ rows }, node) => rows.forEach((row) => (fold[row] = node)));
  return fold;
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
