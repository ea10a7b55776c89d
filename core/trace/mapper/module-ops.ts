// Operators and kernels of one module of a record as `ops` of model_execution.json: an operator with its host time and its longest kernel; what else it launched
// are sub_ops without a host time of their own, so that GPU times add up. Times of all calls together, the longest operator first.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { microseconds, timesOfCopies } from "./copy-times.ts";
import { nameCharactersMax } from "./kernel-names.ts";
import { kernelRole } from "./kernel-role.ts";

type Launched = { kernel: number; count: number; value: number; category: number; dims: number; dtypes: number }; // texts, and ns
type Operator = { cpuNs: number; launched: Launched[] };

const launchedDirectly = "(launched directly)"; // kernels that no operator launched

export class ModuleOps {
  private readonly byModule = new Map<number, Map<number, Operator>>(); // row of a module → text of the operator
  private readonly texts: readonly string[];

  constructor({ operations, kernels, texts }: ExecutionRecord) {
    this.texts = texts;
    for (const [i, module] of operations.module.entries()) this.operator(module, operations.op[i]!).cpuNs += operations.cpuNs[i]!;
    for (const [i, module] of kernels.module.entries()) {
      this.operator(module, kernels.op[i]!).launched.push({ kernel: kernels.kernel[i]!, count: kernels.count[i]!, value: kernels.value[i]!, category: kernels.category[i]!, dims: kernels.dims[i]!, dtypes: kernels.dtypes[i]! });
    }
  }

  // `rows`: the module first, then its copies of the run around it; -1 = what lies in no module. `from`: the first free place among what the module does.
  of(rows: readonly number[], from: number): object[] {
    const own = [...(this.byModule.get(rows[0]!) ?? [])];
    return own.map(([op, { cpuNs, launched }], i) => {
      const [first, ...others] = launched.toSorted((a, b) => b.value - a.value);
      const times = rows.length < 2 ? [] : rows.map((row) => this.byModule.get(row)?.get(op)?.cpuNs);
      return {
        op: this.texts[op] || launchedDirectly, dur_us: microseconds(cpuNs), seq: from + i,
        ...(first === undefined ? { gpu_note: "no kernel" } : { ...this.inputs(first), gpu: this.cut(first), ...measured(first), gpu_role: kernelRole(this.texts[first.category]!) }),
        ...(others.length === 0 ? {} : { sub_ops: others.map((one) => ({ op: this.texts[op] || launchedDirectly, dur_us: 0, dims: this.inputs(one).dims, gpu_display: this.cut(one), ...measured(one) })) }),
        ...(times.length > 1 && times.every((ns) => ns !== undefined) ? timesOfCopies(times, "") : {}),
      };
    });
  }

  private operator(module: number, op: number): Operator {
    let ops = this.byModule.get(module);
    if (ops === undefined) this.byModule.set(module, (ops = new Map()));
    let found = ops.get(op);
    if (found === undefined) ops.set(op, (found = { cpuNs: 0, launched: [] }));
    return found;
  }

  private cut({ kernel }: Launched): string {
    const name = this.texts[kernel]!;
    return name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax)}...` : name;
  }

  // As recorded, "[[1, 64], [64, 64]]" → "[1,64] → [64,64]", and one object each.
  private inputs({ dims, dtypes }: Launched): { dims?: string; args?: object[] } {
    const shapes = listIn(this.texts[dims]!);
    if (shapes.length === 0) return {};
    const types = listIn(this.texts[dtypes]!);
    return { dims: shapes.map((shape) => JSON.stringify(shape)).join(" → "), args: shapes.map((shape, i) => ({ name: `in${i}`, shape, dtype: typeof types[i] === "string" ? types[i].replace("c10::", "") : "" })) };
  }
}

function measured({ count, value }: Launched): object {
  return { gpu_dur_us: microseconds(value), ...(count > 1 ? { gpu_count: count } : {}) };
}

// What the trace wrote may be no JSON.
function listIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
