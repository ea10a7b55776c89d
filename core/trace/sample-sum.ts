// Samples summed by (stack, step), in order of first appearance, with the totals and gaps they must agree with.
import type { ExecutionSample, GapReason } from "./execution.ts";

export class SampleSum {
  readonly samples: ExecutionSample[] = [];
  readonly totals = { kernels: 0, value: 0, moduleValue: 0 };
  readonly gaps = new Map<GapReason, { kernels: number; value: number }>();
  private readonly index = new Map<number, Map<number, ExecutionSample>>();

  // `gap` undefined = the work lies below a module.
  add(stack: number, step: number, value: number, gap: GapReason | undefined): void {
    let bySteps = this.index.get(stack);
    if (bySteps === undefined) this.index.set(stack, (bySteps = new Map()));
    let sample = bySteps.get(step);
    if (sample === undefined) {
      bySteps.set(step, (sample = { stack, step, value: 0, count: 0 }));
      this.samples.push(sample);
    }
    sample.value += value;
    sample.count++;
    this.totals.kernels++;
    this.totals.value += value;
    if (gap === undefined) {
      this.totals.moduleValue += value;
      return;
    }
    const sum = this.gaps.get(gap) ?? { kernels: 0, value: 0 };
    sum.kernels++;
    sum.value += value;
    this.gaps.set(gap, sum);
  }
}
