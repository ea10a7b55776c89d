// Statistics of each metric with the number of values behind them. What the file states stands below what its requests give, where the two disagree.
import { memo } from "react";
import { figuresAgree } from "#core/workload/figures-agree.ts";
import type { Statistics } from "#core/workload/statistics.ts";
import { type WorkloadMetric, workloadMetrics } from "#schema/workload-metrics.ts";
import { formatCount, formatExact, formatMs } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { ShownFigures } from "./figures-of.ts";
import style from "./workload-page.module.css";

const order: readonly WorkloadMetric[] = ["ttftUs", "tpotUs", "itlUs", "latencyUs", "clientQueueUs", "queueUs", "prefillUs", "decodeUs"];
const estimatedMetrics: readonly WorkloadMetric[] = ["latencyUs", "tpotUs", "decodeUs"];
// With fewer values a percentile from p99 on is the slowest one or two: 100 for p99, 1,000 for p99.9.
const neededFor = (part: string): number => Math.round(100 / (100 - Number(part.slice(1))));

const partOf = (statistics: Statistics, part: string): number | undefined =>
  part.startsWith("p") ? statistics.percentiles[part] : statistics[part as "mean" | "std" | "min" | "max"];

export const PercentileTable = memo(function PercentileTable({ figures: { computed, stated }, latencyEstimated, gapsLeftOut }: { readonly figures: ShownFigures; readonly latencyEstimated: boolean; readonly gapsLeftOut: boolean }) {
  const there = order.filter((name) => computed?.[name] !== undefined || stated?.[name] !== undefined);
  const percentiles = [...new Set(["p50", "p90", "p95", "p99", ...there.flatMap((name) => [computed, stated].flatMap((one) => Object.keys(one?.[name]?.percentiles ?? {})))])].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  const parts = ["mean", "std", "min", ...percentiles, "max"];
  if (there.length === 0) return <p className={style.fine}>There is no latency: no request completed, or the file does not give any.</p>;
  return (
    <div className={style.percentilesBox} tabIndex={0} role="region" aria-label="Percentiles">
      <table className={style.percentiles} data-testid="percentiles">
        <thead>
          <tr>
            <th scope="col">ms</th>
            {parts.map((part) => (
              <th key={part} scope="col" data-numeric="true">
                {part}
              </th>
            ))}
            <th scope="col" data-numeric="true" title="Values behind each figure">
              n
            </th>
          </tr>
        </thead>
        <tbody>
          {there.map((name) => {
            const [found, said] = [computed?.[name], stated?.[name]];
            const estimated = latencyEstimated && estimatedMetrics.includes(name);
            const disagree = found === undefined || said === undefined ? [] : parts.filter((part) => differs(partOf(said, part), partOf(found, part)));
            const title = name === "latencyUs" ? "E2E latency" : workloadMetrics[name].replace(/^./, (letter) => letter.toUpperCase());
            return [
              found !== undefined && <Row key={name} title={title} from="" statistics={found} parts={parts} estimated={estimated} marked={[]} />,
              (found === undefined || disagree.length > 0) && said !== undefined && (
                <Row key={`${name} stated`} title={found === undefined ? title : ""} from={found === undefined ? "as the file states it" : "the file states"} statistics={said} parts={parts} estimated={false} marked={disagree} />
              ),
            ];
          })}
          {gapsLeftOut && (
            <tr>
              <th scope="row">
                <span className={style.metric}>ITL</span>
              </th>
              <td colSpan={parts.length + 1} className={style.why}>
                of some requests together not known: the gaps themselves are not stored, only each request's quantiles (in the table below)
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
});

function differs(said: number | undefined, found: number | undefined): boolean {
  return said !== undefined && found !== undefined && !figuresAgree(said, found);
}

type RowProps = { readonly title: string; readonly from: string; readonly statistics: Statistics; readonly parts: readonly string[]; readonly estimated: boolean; readonly marked: readonly string[] };

function Row({ title, from, statistics, parts, estimated, marked }: RowProps) {
  const { n } = statistics;
  return (
    <tr data-from={from === "" ? "requests" : "file"}>
      <th scope="row">
        {title !== "" && (
          <span className={style.metric} title={estimated ? "The file has no latency: TTFT plus the gaps between tokens" : undefined}>
            {estimated && "≈ "}
            {title}
          </span>
        )}
        {from !== "" && <span className={style.from}>{from}</span>}
      </th>
      {parts.map((part) => {
        const value = partOf(statistics, part);
        const few = part.startsWith("p99") && n !== undefined && n < neededFor(part);
        return (
          <td key={part} data-numeric="true" data-few={few} data-differs={marked.includes(part)} title={few ? `needs ≥ ${formatExact(neededFor(part))} requests` : undefined}>
            {value === undefined ? "—" : <Quantity value={formatMs(value)} />}
            {few && value !== undefined && <span className="visually-hidden"> needs ≥ {formatExact(neededFor(part))} requests</span>}
          </td>
        );
      })}
      <td data-numeric="true">{n === undefined ? "—" : <Quantity value={formatCount(n)} />}</td>
    </tr>
  );
}
