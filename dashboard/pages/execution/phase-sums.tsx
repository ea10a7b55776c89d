// What the steps of a phase take: how many, per step, and per token where the engine's marks say tokens.
import { plural } from "#core/quantity.ts";
import { phaseOf } from "#core/trace/compare-records.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { formatValue } from "../../parts/number-format.ts";
import style from "./phase-sums.module.css";

export function PhaseSums({ steps }: { readonly steps: ExecutionRecord["steps"] }) {
  return (
    <ul className={style.phases} data-testid="phase-sums">
      {[...new Set(steps.map(({ phase }) => phase))].map((phase) => {
        const { steps: count, valuePerStep, durationPerStepNs, valuePerToken } = phaseOf(steps, phase)!;
        return (
          <li key={phase}>
            <b>{phase === "" ? "steps" : phase}</b> {plural(count, "step", "steps")} · {valuePerStep > 0 ? `${formatValue(valuePerStep, "ns").text} GPU time` : `${formatValue(durationPerStepNs, "ns").text} on the host`} each
            {valuePerToken !== null && ` · ${formatValue(valuePerToken, "ns").text} per token`}
          </li>
        );
      })}
    </ul>
  );
}
