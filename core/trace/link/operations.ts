// Operators directly below a module, and the kernels they launched with the sizes they were launched with. What an operator calls itself is part of it.
import { callKinds } from "./calls.ts";
import type { CallStacks } from "./call-stacks.ts";
import type { CapturedKernel } from "./captured-graphs.ts";
import type { KernelUse, ModuleOperation, OutsidePlace } from "../execution.ts";
import type { ModulePlaces } from "./module-places.ts";
import { OutsideTime } from "./outside-time.ts";
import type { Stretch } from "./stretch.ts";
import type { TextTable } from "../read/text-table.ts";
import type { TraceTables } from "./trace-tables.ts";

export class Operations {
  private readonly uses = new Map<string, KernelUse>(); // in modules
  private readonly outside = new Map<string, KernelUse>(); // in none, and when they ran
  private readonly sums = new Map<number, Map<string, ModuleOperation>>(); // frame of the module → text id of the name, and when it ran where that is outside any
  private readonly time = new OutsideTime();
  private readonly texts: TextTable;
  private readonly stacks: CallStacks;
  private readonly places: ModulePlaces;
  // Of the stretch of the file begun last:
  private inputOf = new Int32Array(0); // row of an operator → row of tables.inputs; -1 = none
  private outermost = new Int32Array(0); // row → the outermost operator of its stack below the innermost module, itself included; -1 = none, -2 = not looked for
  private tables!: TraceTables;

  constructor(texts: TextTable, stacks: CallStacks, places: ModulePlaces) {
    this.texts = texts;
    this.stacks = stacks;
    this.places = places;
  }

  // `takes`: whether a call, by its row, is wanted.
  begin(stretch: Stretch, takes: (row: number) => boolean): void {
    this.tables = stretch.tables;
    const { call } = this.tables.inputs;
    this.outermost = new Int32Array(this.tables.calls.length).fill(-2);
    this.inputOf = new Int32Array(this.tables.calls.length).fill(-1);
    for (let i = 0; i < call.length; i++) this.inputOf[call.values[i]!] = i;
    if (this.time.begin(stretch, takes)) this.laterIsBetween();
    this.addOperators(stretch, takes);
  }

  // What ran after all modules of the stretches before runs before those of this one. Each keeps its place in the order of first appearance.
  private laterIsBetween(): void {
    const operations = [...(this.sums.get(-1) ?? [])];
    this.sums.get(-1)?.clear();
    for (const [key, operation] of operations) this.sum(-1, key.replace(/after$/, "between"), between(operation));
    const uses = [...this.outside];
    this.outside.clear();
    for (const [key, use] of uses) this.use(key.replace(/after$/, "between"), between(use));
  }

  private sum(module: number, key: string, { calls, cpuNs, ...operation }: ModuleOperation): void {
    let byName = this.sums.get(module);
    if (byName === undefined) this.sums.set(module, (byName = new Map()));
    let sum = byName.get(key);
    if (sum === undefined) byName.set(key, (sum = { ...operation, calls: 0, cpuNs: 0 }));
    sum.calls += calls;
    sum.cpuNs += cpuNs;
  }

  private use(key: string, { count, value, ...launched }: KernelUse): void {
    const uses = launched.module < 0 ? this.outside : this.uses;
    let use = uses.get(key);
    if (use === undefined) uses.set(key, (use = { ...launched, count: 0, value: 0 }));
    use.count += count;
    use.value += value;
  }

  // Every operator that lies in no other.
  private addOperators({ calls, nesting, attribution }: Stretch, takes: (row: number) => boolean): void {
    const kind = calls.kind.values;
    const inOperator = new Uint8Array(calls.length);
    for (let i = 0; i < calls.length; i++) {
      const row = nesting.order[i]!;
      const parent = nesting.parent[row]!;
      if (parent >= 0) inOperator[row] = kind[parent] === callKinds.op ? 1 : kind[parent] === callKinds.module ? 0 : inOperator[parent]!;
      if (kind[row] !== callKinds.op || inOperator[row] === 1 || !takes(row)) continue;
      const call = attribution.innermostModule(row);
      const module = call < 0 ? -1 : this.places.frameOf.get(call)!;
      const name = calls.name.values[row]!;
      const start = calls.start.values[row]!;
      const outside = module < 0 ? this.time.of(start) : undefined;
      this.sum(module, `${name} ${outside ?? ""}`, { module, op: this.texts.text(name), calls: 1, cpuNs: calls.end.values[row]! - start, ...(outside === undefined ? {} : { outside }) });
    }
  }

  // `whole`: every call of a module is in the file as a call. Where graphs are replayed it is not, and when the rest ran against them is not known.
  list(whole: boolean): ModuleOperation[] {
    const all = [...this.sums.values()].flatMap((byName) => [...byName.values()]);
    return (this.isKnown(whole) ? all : timeless(all, ({ module, op }) => `${module} ${op}`, (sum, one) => { sum.calls += one.calls; sum.cpuNs += one.cpuNs; })).sort((a, b) => b.cpuNs - a.cpuNs);
  }

  private isKnown(whole: boolean): boolean {
    return whole && this.time.hasModules;
  }

  // `module`: frame of the innermost module, -1 = none. `launch`: row of the call that launched it, -1 = not in the file.
  addKernel(module: number, launch: number, kernel: number): void {
    const { inputs, calls } = this.tables;
    const op = launch < 0 ? -1 : this.outermostOperator(launch);
    const outside = module < 0 && launch >= 0 ? this.time.of(calls.start.values[op < 0 ? launch : op]!) : undefined;
    if (op < 0) return this.add(module, "", 0, 0, kernel, outside);
    const input = this.inputOf[op]!;
    const name = this.texts.text(calls.name.values[op]!);
    if (input < 0) this.add(module, name, 0, 0, kernel, outside);
    else this.add(module, name, inputs.dims.values[input]!, inputs.dtypes.values[input]!, kernel, outside);
  }

  // A kernel of a replayed graph; `captured` says what it was launched by.
  addReplayed(module: number, captured: CapturedKernel | undefined, kernel: number): void {
    const around = captured?.around ?? [];
    const below = around.slice(around.map(({ kind }) => kind).lastIndexOf("layer") + 1);
    this.add(module, below.find(({ kind }) => kind === "op")?.name ?? "", 0, 0, kernel);
  }

  // `dimsId`, `dtypesId`: of texts; told apart by them, because the texts themselves are long.
  private add(module: number, op: string, dimsId: number, dtypesId: number, row: number, outside?: OutsidePlace): void {
    const { kernels } = this.tables;
    const [name, gridId, blockId] = [kernels.name.values[row]!, kernels.grid.values[row]!, kernels.block.values[row]!];
    const key = `${module}\0${op}\0${name}\0${gridId}\0${blockId}\0${dimsId}\0${dtypesId}\0${outside ?? ""}`;
    const value = kernels.duration.values[row]!;
    const known = (module < 0 ? this.outside : this.uses).get(key);
    if (known !== undefined) {
      known.count++;
      known.value += value;
      return;
    }
    const [grid, block, dims, dtypes] = [gridId, blockId, dimsId, dtypesId].map((id) => this.texts.text(id)) as [string, string, string, string];
    this.use(key, { module, op, kernel: this.stacks.kernelName(name), grid, block, dims, dtypes, count: 1, value, ...(outside === undefined ? {} : { outside }) });
  }

  kernelUses(whole: boolean): KernelUse[] {
    const all = [...this.uses.values(), ...this.outside.values()];
    const alike = ({ module, op, kernel, grid, block, dims, dtypes }: KernelUse) => [module, op, kernel, grid, block, dims, dtypes].join("\0");
    return (this.isKnown(whole) ? all : timeless(all, alike, (sum, one) => { sum.count += one.count; sum.value += one.value; })).sort((a, b) => b.value - a.value);
  }

  // The outermost operator below the innermost module around a launch; -1 = none.
  private outermostOperator(launch: number): number {
    const kind = this.tables.calls.kind.values;
    const passed: number[] = [];
    let at = launch;
    for (; at >= 0 && kind[at] !== callKinds.module && this.outermost[at] === -2; at = this.stacks.callerOf(at)) passed.push(at);
    let found = at < 0 || kind[at] === callKinds.module ? -1 : this.outermost[at]!;
    for (let one = passed.pop(); one !== undefined; one = passed.pop()) {
      if (found < 0 && kind[one] === callKinds.op) found = one;
      this.outermost[one] = found;
    }
    return found;
  }
}

// Without when they ran: what differed in that alone is one.
function timeless<One extends { outside?: OutsidePlace }>(all: readonly One[], keyOf: (one: One) => string, add: (sum: One, one: One) => void): One[] {
  const sums = new Map<string, One>();
  for (const { outside: _outside, ...rest } of all) {
    const one = rest as One;
    const sum = sums.get(keyOf(one));
    if (sum === undefined) sums.set(keyOf(one), one);
    else add(sum, one);
  }
  return [...sums.values()];
}

function between<One extends { outside?: OutsidePlace }>(one: One): One {
  return one.outside === "after" ? { ...one, outside: "between" } : one;
}
