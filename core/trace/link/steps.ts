// Which step a call belongs to: the ProfilerStep around it in time, on whatever thread; in a trace without them, the how-manieth call of its root module.
import type { ModulePlaces } from "./module-places.ts";
import type { HostCalls } from "./calls.ts";
import type { StepSpan } from "./trace-tables.ts";

export class Steps {
  readonly count: number;
  readonly shifted: boolean; // there is a ProfilerStep#0; 0 means "none", so every step's number is one higher
  private readonly spans: StepSpan[];
  private readonly rootCall = new Map<number, number>(); // row of a root module call → 1-based number of that call
  private readonly calls: HostCalls;
  private readonly places: ModulePlaces;

  constructor(spans: StepSpan[], calls: HostCalls, places: ModulePlaces) {
    this.calls = calls;
    this.places = places;
    this.shifted = spans.some((span) => span.number === 0);
    this.spans = [...spans].sort((a, b) => a.start - b.start);
    const callsOfRoot = new Map<number, number>();
    for (const [row, instance] of places.instanceOf) {
      if (places.enclosing[row]! >= 0) continue;
      const n = (callsOfRoot.get(instance) ?? 0) + 1;
      callsOfRoot.set(instance, n);
      this.rootCall.set(row, n);
    }
    this.count = spans.length > 0 ? new Set(spans.map((span) => span.number)).size : Math.max(0, ...callsOfRoot.values());
  }

  of(row: number, rootModule: number): number {
    if (this.spans.length === 0) return this.rootCall.get(rootModule) ?? 0;
    const at = this.calls.start.values[row]!;
    let low = 0;
    let high = this.spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.spans[middle]!.start <= at) low = middle + 1;
      else high = middle;
    }
    const span = this.spans[low - 1];
    return span !== undefined && at <= span.end ? span.number + (this.shifted ? 1 : 0) : 0;
  }

  // Row of the outermost module around a call; -1 = none.
  rootModuleOf(row: number): number {
    let module = this.places.enclosing[row]!;
    while (module >= 0 && this.places.enclosing[module]! >= 0) module = this.places.enclosing[module]!;
    return module;
  }
}
