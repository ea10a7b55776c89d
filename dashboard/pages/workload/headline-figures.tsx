// The figures a person looks for first.
import { memo, type ReactNode } from "react";
import { figuresAgree, rateTolerance } from "#core/workload/figures-agree.ts";
import { formatCount, formatMs, formatRate, type Formatted } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { ShownFigures } from "./figures-of.ts";
import style from "./workload-page.module.css";

export const HeadlineFigures = memo(function HeadlineFigures({ figures: { computed, stated } }: { readonly figures: ShownFigures }) {
  const figures = computed ?? stated ?? {};
  const { completed, failed, durationS, meanConcurrency, ttftUs, tpotUs, latencyUs } = figures;
  const quantity = (value: number | undefined, format: (value: number) => Formatted) => (value === undefined ? "—" : <Quantity value={format(value)} />);
  // What the file states of it, where that is something else.
  const total = (name: "completed" | "failed" | "requestsPerS" | "inputTokensPerS" | "outputTokensPerS" | "peakConcurrency", format: (value: number) => Formatted, within: number) => {
    const [found, said] = [figures[name], computed === null ? undefined : stated?.[name]];
    return (
      <>
        {quantity(found, format)}
        {found !== undefined && said !== undefined && !figuresAgree(said, found, within) && <small data-differs="true">the file states {quantity(said, format)}</small>}
      </>
    );
  };
  const pair = (p50: number | undefined, p99: number | undefined) => (
    <>
      {quantity(p50, formatMs)} <small>/</small> {quantity(p99, formatMs)}
    </>
  );
  return (
    <dl className={style.headline} data-testid="headline" data-completed={completed}>
      <Figure label="Completed">{total("completed", formatCount, 0)}</Figure>
      <Figure label="Failed" bad={(failed ?? 0) > 0}>
        {total("failed", formatCount, 0)}
      </Figure>
      <Figure label="Duration, s">{quantity(durationS, formatRate)}</Figure>
      <Figure label="Requests/s">{total("requestsPerS", formatRate, rateTolerance)}</Figure>
      <Figure label="Input tok/s">{total("inputTokensPerS", formatRate, rateTolerance)}</Figure>
      <Figure label="Output tok/s">{total("outputTokensPerS", formatRate, rateTolerance)}</Figure>
      <Figure label="TTFT p50 / p99, ms">{pair(ttftUs?.percentiles["p50"], ttftUs?.percentiles["p99"])}</Figure>
      <Figure label="TPOT p50 / p99, ms">{pair(tpotUs?.percentiles["p50"], tpotUs?.percentiles["p99"])}</Figure>
      <Figure label="E2E p50 / p99, ms">{pair(latencyUs?.percentiles["p50"], latencyUs?.percentiles["p99"])}</Figure>
      <Figure label="At once, mean / peak">
        {quantity(meanConcurrency, formatRate)} <small>/</small> {total("peakConcurrency", formatCount, rateTolerance)}
      </Figure>
    </dl>
  );
});

function Figure({ label, bad = false, children }: { readonly label: string; readonly bad?: boolean; readonly children: ReactNode }) {
  return (
    <div data-bad={bad}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
