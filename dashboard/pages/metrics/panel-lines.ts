// The lines of a panel from the API's answers. Engines are never added to one another: each has its own lines. A step without a point is a gap, never 0.
import type { EngineSteps, MetricSeries } from "#schema/api/metrics.ts";
import { askedKey, type PanelSpec, type StepPart, type Trace } from "./panels.ts";

export type PanelLine = {
  readonly label: string; // "p99", "vllm p99" where there are several engines
  readonly trace: number; // which of the panel's: its colour
  readonly engine: number; // which of the engines: its dashes
  readonly values: readonly (number | null)[]; // along the grid
  readonly above: readonly boolean[]; // a quantile that lies anywhere above the highest bucket
  readonly estimate: EngineSteps["estimate"]; // where quantiles come from
};
export type PanelData = { readonly grid: readonly number[]; readonly lines: readonly PanelLine[]; readonly notes: readonly string[] };

export type Answers = ReadonlyMap<string, MetricSeries>; // by askedKey

const isQuantile = (part: StepPart) => /^p\d+$/.test(part);

export function panelData({ traces }: PanelSpec, answers: Answers, grid: readonly number[]): PanelData {
  const engines = [...new Set(traces.flatMap(({ metric, instead, reason }) => [answers.get(askedKey(metric, reason)), instead && answers.get(instead.metric)].flatMap((answer) => answer?.engines.map(({ engine }) => engine) ?? [])))].sort();
  const place = new Map(grid.map((t, at) => [t, at]));
  const lines: PanelLine[] = [];
  const since = new Set<string>();
  for (const [trace, spec] of traces.entries()) {
    for (const [at, engine] of engines.entries()) {
      const found = stepsOf(spec, engine, answers);
      if (found === null) continue;
      if (found.since === "start") since.add(engine);
      if (found.values === undefined) continue;
      const values = grid.map(() => null as number | null);
      const above = grid.map(() => false);
      found.t.forEach((t, step) => {
        const index = place.get(t);
        if (index === undefined) return;
        values[index] = found.values![step] ?? null;
        above[index] = found.bound?.[step] != null && found.values![step] === found.bound[step];
      });
      if (values.every((value) => value === null)) continue;
      lines.push({ label: engines.length > 1 ? `${engine || "unknown engine"} ${spec.label}` : spec.label, trace, engine: at, values, above, estimate: found.quantile ? found.estimate : null });
    }
  }
  const notes = [...since].map((engine) => `${engine || "The engine"}: nothing but one dump lies in this range, so its counts are since the engine started and have no rate`);
  return { grid, lines, notes };
}

type Found = { readonly since: EngineSteps["since"]; readonly t: readonly number[]; readonly values: readonly (number | null)[] | undefined; readonly bound: readonly (number | null)[] | undefined; readonly estimate: EngineSteps["estimate"]; readonly quantile: boolean };

function stepsOf({ metric, part, per, instead, reason }: Trace, engine: string, answers: Answers): Found | null {
  const of = (key: string) => answers.get(key)?.engines.find((one) => one.engine === engine);
  const first = of(askedKey(metric, reason));
  const found = (one: EngineSteps, name: StepPart): Found => ({ since: one.since, t: one.steps.t, values: one.steps[name], bound: isQuantile(name) ? one.steps.bound : undefined, estimate: one.estimate, quantile: isQuantile(name) });
  if (first !== undefined && per === undefined && first.steps[part] !== undefined) return found(first, part);
  const whole = per === undefined ? undefined : of(per);
  if (first !== undefined && whole !== undefined) {
    const among = new Map(whole.steps.t.map((t, step) => [t, whole.steps[part]?.[step] ?? null]));
    const values = first.steps.t.map((t, step) => {
      const [a, b] = [first.steps[part]?.[step] ?? null, among.get(t) ?? null];
      return a === null || b === null || b === 0 ? null : a / b;
    });
    return { since: first.since, t: first.steps.t, values, bound: undefined, estimate: null, quantile: false };
  }
  const other = instead && of(instead.metric);
  if (other !== undefined && instead !== undefined) return found(other, instead.part);
  return first === undefined ? null : found(first, part);
}

// The moments at which steps begin, from the first in the range to its end.
export function stepGrid(fromS: number, toS: number, stepS: number): number[] {
  const first = Math.floor(fromS / stepS) * stepS;
  return Array.from({ length: Math.max(1, Math.ceil((toS - first) / stepS)) }, (_, at) => first + at * stepS);
}
