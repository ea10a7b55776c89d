// GPU and CPU time of every single call of every module, inclusive: what n, min, median and max of a module are taken from, and which call was the slow one.
// A kernel counts for the module call it belongs to and all around it, a backward kernel for the call of the forward it belongs to. A replayed graph is one
// call of each module it was captured from. What checkpointing computes again is a call of its own.
import type { Attribution } from "./attribution.ts";
import type { HostCalls } from "./calls.ts";
import type { ModuleCalls } from "../execution.ts";
import type { ModulePlaces } from "./module-places.ts";
import type { Nesting } from "./nest.ts";

export class ModuleTimes {
  readonly replayedParents = new Map<number, number>(); // frame of a module that only a captured graph shows → frame around it; -1 = none
  private readonly own: Float64Array; // row of a module call → ns of the kernels that belong to it directly
  private readonly stepOf = new Map<number, number>(); // row of a module call → step of its kernels
  private readonly replays = new Map<number, Map<number, { value: number; step: number }>>(); // frame → launch → ns
  private readonly calls: HostCalls;
  private readonly nesting: Nesting;
  private readonly places: ModulePlaces;
  private readonly attribution: Attribution;

  constructor(calls: HostCalls, nesting: Nesting, places: ModulePlaces, attribution: Attribution) {
    this.calls = calls;
    this.nesting = nesting;
    this.places = places;
    this.attribution = attribution;
    this.own = new Float64Array(calls.length);
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

  byFrame(): Map<number, ModuleCalls> {
    const total = this.own.slice();
    const rows = this.nesting.order.filter((row) => this.places.frameOf.has(row));
    for (let i = rows.length - 1; i >= 0; i--) {
      const outer = this.attribution.innermostModule(rows[i]!);
      if (outer < 0) continue;
      total[outer]! += total[rows[i]!]!;
      const step = this.stepOf.get(rows[i]!);
      if (step !== undefined && !this.stepOf.has(outer)) this.stepOf.set(outer, step);
    }
    rows.sort((a, b) => this.calls.start.values[a]! - this.calls.start.values[b]!);
    const found = new Map<number, ModuleCalls>();
    const push = (frame: number, gpuNs: number, cpuNs: number, step: number): void => {
      let list = found.get(frame);
      if (list === undefined) found.set(frame, (list = { gpuNs: [], cpuNs: [], step: [] }));
      list.gpuNs.push(gpuNs);
      list.cpuNs.push(cpuNs);
      list.step.push(step);
    };
    for (const row of rows) push(this.places.frameOf.get(row)!, total[row]!, this.calls.end.values[row]! - this.calls.start.values[row]!, this.stepOf.get(row) ?? 0);
    for (const [frame, byLaunch] of this.replays) for (const { value, step } of byLaunch.values()) push(frame, value, Number.NaN, step);
    return found;
  }
}
