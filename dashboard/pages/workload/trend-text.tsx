// What the trend line says in numbers, and which requests have no point.
import type { TrendLine } from "#core/workload/trend-line.ts";
import style from "./scatter.module.css";

export function TrendText({ trend, across, without, log }: { readonly trend: TrendLine | undefined; readonly across: string; readonly without: number; readonly log: boolean }) {
  const ms = (us: number, digits: number) => (us / 1_000).toLocaleString("en-US", { maximumSignificantDigits: digits }).replace("-", "−");
  const per = trend !== undefined && Math.abs(trend.slope) >= 1_000 ? 1 : 1_000; // tokens
  return (
    <p className={style.trend}>
      {trend === undefined ? (
        "no trend: no two different lengths"
      ) : (
        <span title={`Theil–Sen line through ${trend.n.toLocaleString("en-US")} requests: the median slope between two of them`}>
          trend: {ms(trend.intercept, 3)} ms and {ms(trend.slope * per, 3)} ms per {per === 1 ? "" : "1,000 "}
          {per === 1 ? across.replace(/s$/, "") : across}
        </span>
      )}
      {without > 0 && (
        <span title={log ? "A number is not in the file, or it is 0, which a log axis does not have" : "A number is not in the file, or the request failed"}>
          {" · "}
          {without.toLocaleString("en-US")} without a point
        </span>
      )}
    </p>
  );
}
