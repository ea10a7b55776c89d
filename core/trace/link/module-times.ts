// GPU and CPU time of every single call of every module, inclusive: what n, min, median and max of a module are taken from, and which call was the slow one.
// A kernel counts for the module call it belongs to and all around it, a backward kernel for the call of the forward it belongs to. A replayed graph is one
// call of each module it was captured from. What checkpointing computes again is a call of its own.
import type { ModuleCalls } from "../execution.ts";
import { callKinds } from "./calls.ts";
import type { ModulePlaces } from "./module-places.ts";
import type { Stretch } from "./stretch.ts";

export class ModuleTimes {
  readonly replayedParents = new Map<number, number>(); // frame of a module that only a captured graph shows → frame around it; -1 = none
  private readonly calls = new Map<number, ModuleCalls>(); // frame → its calls in all stretches done
  private readonly places: ModulePlaces;
  // Of the stretch of the file begun last:
  private own = new Float64Array(0); // row of a module call → ns of the kernels that belong to it directly
  private readonly stepOf = new Map<number, number>(); // row of a module call → step of its kernels
  private readonly replays = new Map<number, Map<number, { value: number; step: number }>>(); // frame → launch → ns
  private stretch!: Stretch;

  constructor(places: ModulePlaces) {
    this.places = places;
  }

  begin(stretch: Stretch): void {
    this.stretch = stretch;
    this.own = new Float64Array(stretch.calls.length);
    this.stepOf.clear();
    this.replays.clear();
  }

  add(module: number, value: number, step: number): void {
    if (module < 0) return;
    this.own[module]! += value;
    if (step > 0) this.stepOf.set(module, step);
  }

  addReplayed(module: number, launch: number, layers: readonly number[], value: number, step: number): void {
    this.add(module, value, step);
    let around = module < 0 ? -1 : this.places.frameOf.get(module)!;
    for (const frame of layers) {
      if (!this.replayedParents.has(frame) && frame !== around) this.replayedParents.set(frame, around);
      around = frame;
    }
    for (const frame of new Set(layers)) {
      let byLaunch = this.replays.get(frame);
      if (byLaunch === undefined) this.replays.set(frame, (byLaunch = new Map()));
      const sum = byLaunch.get(launch) ?? { value: 0, step };
      sum.value += value;
      byLaunch.set(launch, sum);
    }
  }

  // Once all kernels of the stretch are added. `takes`: whether a module call, by its row, is wanted.
  end(takes: (row: number) => boolean): void {
    const { calls, nesting, attribution } = this.stretch;
    const total = this.own;
    const kind = calls.kind.values;
    const rows = nesting.order.filter((row) => kind[row] === callKinds.module);
    for (let i = rows.length - 1; i >= 0; i--) {
      const outer = attribution.innermostModule(rows[i]!);
      if (outer < 0) continue;
      total[outer]! += total[rows[i]!]!;
      const step = this.stepOf.get(rows[i]!);
      if (step !== undefined && !this.stepOf.has(outer)) this.stepOf.set(outer, step);
    }
    rows.sort((a, b) => calls.start.values[a]! - calls.start.values[b]!);
    const replays = new Map([...this.replays].map(([frame, byLaunch]) => [frame, [...byLaunch].sort(([a], [b]) => calls.start.values[b]! - calls.start.values[a]!)])); // the first launch last
    const pushReplays = (frame: number, untilNs: number): void => {
      const waiting = replays.get(frame) ?? [];
      while (waiting.length > 0 && calls.start.values[waiting.at(-1)![0]]! <= untilNs) {
        const [, { value, step }] = waiting.pop()!;
        this.push(frame, value, Number.NaN, step);
      }
    };
    for (const row of rows) {
      if (!takes(row)) continue;
      const frame = this.places.frameOf.get(row)!;
      pushReplays(frame, calls.start.values[row]!);
      this.push(frame, total[row]!, calls.end.values[row]! - calls.start.values[row]!, this.stepOf.get(row) ?? 0);
    }
    for (const frame of replays.keys()) pushReplays(frame, Number.POSITIVE_INFINITY);
  }

  callsOf(frame: number): ModuleCalls {
    return this.calls.get(frame) ?? { gpuNs: [], cpuNs: [], step: [] };
  }

  private push(frame: number, gpuNs: number, cpuNs: number, step: number): void {
    let list = this.calls.get(frame);
    if (list === undefined) this.calls.set(frame, (list = { gpuNs: [], cpuNs: [], step: [] }));
    list.gpuNs.push(gpuNs);
    list.cpuNs.push(cpuNs);
    list.step.push(step);
  }
}
