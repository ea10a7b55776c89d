// An execution's record as model_execution.json, for viewers of that format (read-model-execution.ts reads it back). Copies built alike are one node with the
// operators and kernels of the first and the host times of all; times are of all calls together, in µs. What was not measured is "unknown", never a constant.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { foldModules, type FoldedModule } from "../fold-modules.ts";
import { microseconds, timesOfCopies } from "./copy-times.ts";
import { summaryKernelsMax } from "./kernel-names.ts";
import { kernelRole } from "./kernel-role.ts";
import { ModuleOps } from "./module-ops.ts";

type Node = { class: string; instance: number; dur_us: number; children: Node[]; ops: object[]; seq: number; repeat?: number };

// Undefined: the record has no modules, and the format is a tree of them.
export function modelExecution(record: ExecutionRecord): object | undefined {
  if (record.modules.parent.length === 0) return undefined;
  const { modelName, device, steps, modules, totals, found, modulesLeftOut, kernelsLeftOut } = record;
  const folded = foldModules(record);
  const ops = new ModuleOps(record);
  const roots = nodesOf(record, folded, ops);
  const phases = [...new Set(steps.flatMap(({ phase }) => (phase === "" ? [] : [phase])))];
  return {
    model: modelName || "?", device, dtype: "unknown", engine: {}, config: {}, mode: phases.join("+") || "unknown", iterations: modules.calls[0],
    layers: folded.reduce((most, { rows, ownCopies }) => (rows.length === ownCopies && ownCopies > 1 ? Math.max(most, ownCopies) : most), 0),
    ops_per_layer: 0, layer_template: [], per_layer: [], pre_layers: [], post_layers: [],
    kernel_summary: kernelSummary(record),
    module_tree: roots.length === 1 ? roots[0] : { class: "(several roots)", instance: 0, dur_us: roots.reduce((sum, { dur_us: us }) => sum + us, 0), children: roots, ops: [], seq: 0 },
    pre_model_ops: [], post_model_ops: ops.of([-1], 0),
    stats: { total_cpu_ops: found["operators"] ?? 0, total_kernels: totals.kernels, total_nn_module_events: found["moduleCalls"] ?? 0 },
    notes: [
      "Times are sums over all calls of the recording; operators are in order of host time, not of call; post_model_ops is what ran in no module, before, between or after its calls",
      ...(modulesLeftOut > 0 ? [`Short modules the record has no room for: ${modulesLeftOut}`] : []), ...(kernelsLeftOut > 0 ? [`Short kernels the record has no room for: ${kernelsLeftOut}`] : []),
    ],
  };
}

function nodesOf({ modules, texts }: ExecutionRecord, folded: readonly FoldedModule[], ops: ModuleOps): Node[] {
  const hostNs = (row: number): number => modules.cpu.total[row]!;
  const children = new Array<number>(modules.parent.length).fill(0); // by row; what a module called itself stands before its operators
  for (const parent of modules.parent) if (parent >= 0) children[parent]!++;
  const roots: Node[] = [];
  const open: { node: Node; copies: number }[] = []; // by depth; copies: of the outermost run around, 1 = none
  for (const { rows, depth, ownCopies } of folded) {
    const row = rows[0]!;
    const within = open[depth - 1];
    const around = within?.copies ?? 1;
    const siblings = within === undefined ? roots : within.node.children;
    const node: Node = { class: texts[modules.class[row]!] || texts[modules.name[row]!]!, instance: depth === 0 ? 0 : row, dur_us: microseconds(hostNs(row)), children: [], ops: [], seq: siblings.length };
    siblings.push(node);
    const own = rows.filter((_, i) => i % (rows.length / ownCopies) === 0).map(hostNs);
    if (ownCopies > 1) Object.assign(node, { repeat: ownCopies, per_layer_dur: own.map(microseconds) }, timesOfCopies(own, "_dur"));
    if (around > 1) Object.assign(node, { all_layer_durs: rows.slice(0, around).map((copy) => microseconds(hostNs(copy))) });
    const copies = around > 1 ? around : ownCopies;
    open[depth] = { node, copies };
    node.ops = ops.of(rows.slice(0, copies), children[row]!);
  }
  return roots;
}

function kernelSummary({ kernels, texts }: ExecutionRecord): object {
  const sums = new Map<number, { count: number; value: number; role: string }>();
  for (const [i, kernel] of kernels.kernel.entries()) {
    const sum = sums.get(kernel) ?? { count: 0, value: 0, role: kernelRole(texts[kernels.category[i]!]!) };
    sums.set(kernel, { ...sum, count: sum.count + kernels.count[i]!, value: sum.value + kernels.value[i]! });
  }
  const longest = [...sums].sort(([, a], [, b]) => b.value - a.value).slice(0, summaryKernelsMax);
  return Object.fromEntries(longest.map(([kernel, { count, value, role }]) => [texts[kernel]!, { count, total_dur_us: microseconds(value), role }]));
}
