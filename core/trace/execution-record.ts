// Execution → its record (schema/api/execution-record.ts), at most limits.executionDigestBytesMax of JSON: over it the shortest modules, operators, kernels and
// steps are left out, counted; the stacks have all of them.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { kernelCategory } from "#core/kernel-category.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { callStatistics } from "./call-statistics.ts";
import { type Execution, type KernelUse, type OutsidePlace, outsidePlaces } from "./execution.ts";
import { KernelJoin, noKernelDetails, type KernelDetails } from "./kernel-details.ts";
import { missingParts } from "./missing-parts.ts";
import { headline } from "./report.ts";

export function executionRecordBytes(execution: Execution, details: KernelDetails = noKernelDetails): Uint8Array {
  const forward = encodeUtf8(JSON.stringify(execution.forward)).length;
  if (forward > limits.forwardBytesMax) {
    const notes = [...execution.notes, `The forward analysis has ${forward.toLocaleString("en-US")} bytes, over the bound of ${limits.forwardBytesMax.toLocaleString("en-US")} (forwardBytesMax), and is left out`];
    return executionRecordBytes({ ...execution, forward: null, notes }, details);
  }
  const longest = Math.max(execution.modules.length, execution.operations.length, execution.kernelUses.length, execution.steps.length);
  for (let kept = longest; ; kept = Math.floor(kept / 2)) {
    const bytes = encodeUtf8(JSON.stringify(executionRecordOf(execution, { kept, details })));
    if (bytes.length <= limits.executionDigestBytesMax || kept === 0) return bytes;
  }
}

// `kept`: rows of each table at most.
export function executionRecordOf(execution: Execution, { kept = Number.POSITIVE_INFINITY, details = noKernelDetails }: { kept?: number; details?: KernelDetails } = {}): ExecutionRecord {
  const { profileType, device, durationNs, events, pathSource, modelName, modelKey, totals, gaps, found, busyNs, devices, copies, rank, worldSize, request } = execution;
  const texts = new Texts();
  const join = new KernelJoin(details);
  const measured: ExecutionRecord["kernelMetrics"] = [];
  const metricsOf = (kernel: string): number => {
    const metrics = join.metrics(kernel);
    if (metrics === undefined) return -1;
    const known = measured.indexOf(metrics);
    return known >= 0 ? known : measured.push(metrics) - 1;
  };
  const { modules, rowOfFrame } = moduleColumns(execution, kept, texts);
  const operations = execution.operations.slice(0, kept);
  const uses = execution.kernelUses.slice(0, kept);
  const steps = longestSteps(execution.steps, kept);
  const notes = steps.length === execution.steps.length ? execution.notes : [...execution.notes, `Steps without room in the record, those whose kernels took least: ${(execution.steps.length - steps.length).toLocaleString("en-US")}`];
  const moduleOf = ({ module }: { module: number }): number => rowOfFrame.get(module) ?? -1;
  return {
    format: 2, unit: profileTypes[profileType].unit, headline: headline(execution), profileType, device, recordedAtNs: execution.recordedAtNs.toString(), durationNs, events, pathSource, modelName, modelKey,
    totals: { ...totals, busyNs }, devices, copies, rank, worldSize, request, gaps: gaps.map((gap) => ({ ...gap })), found: Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as ExecutionRecord["found"],
    missing: missingParts(execution), notes, steps, categories: categoriesOf(execution.kernelUses),
    modules, modulesLeftOut: execution.modules.length - modules.parent.length,
    operations: { module: operations.map(moduleOf), op: operations.map(({ op }) => texts.id(op)), calls: operations.map(({ calls }) => calls), cpuNs: operations.map(({ cpuNs }) => cpuNs), ...outsideColumn(operations) },
    operationsLeftOut: execution.operations.length - operations.length,
    kernels: {
      module: uses.map(moduleOf), op: uses.map(({ op }) => texts.id(op)), kernel: uses.map(({ kernel }) => texts.id(kernel)), category: uses.map(({ kernel }) => texts.id(kernelCategory(kernel))),
      fused: uses.map(({ kernel }) => texts.id(join.operators(kernel))), metrics: uses.map(({ kernel }) => metricsOf(kernel)),
      grid: uses.map(({ grid }) => texts.id(grid)), block: uses.map(({ block }) => texts.id(block)), dims: uses.map(({ dims }) => texts.id(dims)), dtypes: uses.map(({ dtypes }) => texts.id(dtypes)),
      count: uses.map(({ count }) => count), value: uses.map(({ value }) => value), ...outsideColumn(uses),
    },
    kernelsLeftOut: execution.kernelUses.length - uses.length,
    kernelMetrics: measured,
    forward: execution.forward,
    texts: texts.list,
  };
}

class Texts {
  readonly list: string[] = [];
  private readonly ids = new Map<string, number>();

  id(text: string): number {
    let id = this.ids.get(text);
    if (id === undefined) this.ids.set(text, (id = this.list.push(text) - 1));
    return id;
  }
}

// Left out where nothing is known.
function outsideColumn(all: readonly { outside?: OutsidePlace }[]): { outside?: number[] } {
  return all.some(({ outside }) => outside !== undefined) ? { outside: all.map(({ outside }) => (outside === undefined ? 0 : outsidePlaces.indexOf(outside) + 1)) } : {};
}

// In their order.
function longestSteps(steps: Execution["steps"], kept: number): Execution["steps"] {
  if (steps.length <= kept) return steps;
  const chosen = new Set([...steps].sort((a, b) => b.value - a.value || a.number - b.number).slice(0, kept));
  return steps.filter((step) => chosen.has(step));
}

function moduleColumns(execution: Execution, kept: number, texts: Texts): { modules: ExecutionRecord["modules"]; rowOfFrame: Map<number, number> } {
  const { frames, modules } = execution;
  const { value, kernels } = frameTotals(execution);
  const order = modules.map((_, i) => i).sort((a, b) => value[modules[b]!.frame]! - value[modules[a]!.frame]! || modules[a]!.depth - modules[b]!.depth || a - b);
  const chosen = new Set(order.slice(0, kept));
  const rowOf = new Map<number, number>(); // index into modules → row
  const rowOfFrame = new Map<number, number>();
  const columns: ExecutionRecord["modules"] = {
    parent: [], name: [], path: [], class: [], calls: [], kernels: [], value: [], gpu: { min: [], median: [], max: [], slowest: [] }, cpu: { total: [], min: [], median: [], max: [], slowest: [] },
  };
  for (const [i, { frame, parent, calls }] of modules.entries()) {
    if (!chosen.has(i)) continue;
    let holder = parent;
    while (holder >= 0 && !rowOf.has(holder)) holder = modules[holder]!.parent;
    rowOf.set(i, columns.parent.length);
    rowOfFrame.set(frame, columns.parent.length);
    const { name, modulePath, moduleClass } = frames[frame]!;
    columns.parent.push(holder < 0 ? -1 : rowOf.get(holder)!);
    columns.name.push(texts.id(name));
    columns.path.push(texts.id(modulePath));
    columns.class.push(texts.id(moduleClass));
    columns.calls.push(calls.gpuNs.length);
    columns.kernels.push(kernels[frame]!);
    columns.value.push(value[frame]!);
    push(columns.gpu, calls.gpuNs);
    push(columns.cpu, calls.cpuNs);
    columns.cpu.total.push(calls.cpuNs.reduce((sum, ns) => sum + (Number.isNaN(ns) ? 0 : ns), 0));
  }
  return { modules: columns, rowOfFrame };
}

function push(columns: { min: number[]; median: number[]; max: number[]; slowest: number[] }, times: readonly number[]): void {
  const { min, median, max, slowest } = callStatistics(times);
  columns.min.push(min);
  columns.median.push(median);
  columns.max.push(max);
  columns.slowest.push(slowest);
}

// By frame, the time and kernels of all stacks that pass it. A stack that passes a frame twice counts once.
export function frameTotals({ frames, stacks, samples }: Execution): { value: Float64Array; kernels: Float64Array } {
  const value = new Float64Array(frames.length);
  const kernels = new Float64Array(frames.length);
  for (const sample of samples) {
    for (const frame of new Set(stacks[sample.stack])) {
      value[frame]! += sample.value;
      kernels[frame]! += sample.count;
    }
  }
  return { value, kernels };
}

function categoriesOf(uses: readonly KernelUse[]): ExecutionRecord["categories"] {
  const sums = new Map<string, { category: string; kernels: number; value: number }>();
  for (const { kernel, count, value } of uses) {
    const category = kernelCategory(kernel);
    const sum = sums.get(category) ?? { category, kernels: 0, value: 0 };
    sum.kernels += count;
    sum.value += value;
    sums.set(category, sum);
  }
  return [...sums.values()].sort((a, b) => b.value - a.value);
}
