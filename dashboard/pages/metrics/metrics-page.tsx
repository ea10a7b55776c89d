// What the engines measure of themselves over time. Time range, engine, host, model and the selected moment are in the URL; a click opens the profile of that moment.
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Flame, X } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { printable } from "#core/printable.ts";
import { PageHeader } from "../../app/page-header.tsx";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import type { MetricsSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { formatClock } from "../../parts/moment-format.ts";
import { useNow } from "../../parts/moment.tsx";
import { Select } from "../../parts/select.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { MetricPanel } from "./metric-panel.tsx";
import { metricsQuery, seriesQuery, type MetricsList } from "./metrics-query.ts";
import { panelData, stepGrid, type Answers } from "./panel-lines.ts";
import { askedFor, askedKey, panels } from "./panels.ts";
import style from "./metrics-page.module.css";

const asked = askedFor(panels);
const MissingText = lazy(async () => ({ default: (await import("./missing-text.tsx")).MissingText }));

export function MetricsPage() {
  const { tenant } = useSession();
  const range = useTimeRange();
  const search = useSearch({ from: "/t/$tenant/metrics" });
  const navigate = useNavigate({ from: "/t/$tenant/metrics" });
  const now = useNow();
  const list = useQuery(metricsQuery(tenant, range));
  const there = useMemo(() => new Set(list.data?.metrics.map(({ metric }) => metric)), [list.data]);
  const wanted = useMemo(() => asked.filter(({ metric }) => there.has(metric)), [there]);
  const series = useQueries({ queries: wanted.map((one) => seriesQuery(tenant, range, search, one)) });
  const change = useCallback((next: MetricsSearch & { from?: string; to?: string | undefined }, replace = true) => void navigate({ search: (old) => ({ ...old, ...next }), replace, resetScroll: false }), [navigate]);
  const failed = list.error ?? series.find(({ error }) => error !== null)?.error ?? null;
  const loaded = series.every(({ data }) => data !== undefined);
  // One object as long as the answers are the same, so that no chart is made anew for nothing.
  const updated = series.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  const fresh = useMemo(() => {
    if (!loaded || list.data === undefined || list.isPlaceholderData) return null;
    const answers: Answers = new Map(wanted.flatMap(({ metric, reason }, at) => (series[at]?.data === undefined ? [] : [[askedKey(metric, reason), series[at].data] as const])));
    const stepS = Math.max(1, ...[...answers.values()].map((answer) => answer.stepS));
    const [fromS, toS] = [list.data.range.from, list.data.range.to].map((iso) => Math.floor(Date.parse(iso) / 1_000)) as [number, number];
    const grid = stepGrid(fromS, toS, stepS);
    const engines = [...new Set([...answers.values()].flatMap((answer) => answer.engines.map(({ engine }) => engine)))].sort();
    return { range: { fromS, toS, stepS }, engines, panels: panels.map((spec) => ({ spec, data: panelData(spec, answers, grid) })) };
    // oxlint-disable-next-line react/exhaustive-deps
  }, [loaded, list.data, list.isPlaceholderData, wanted, updated]);
  // Under another filter the old lines stay, pale, until the new ones are there.
  const [drawn, setDrawn] = useState(fresh);
  if (fresh !== null && fresh !== drawn) setDrawn(fresh);
  const open = (atS: number) => {
    if (drawn !== null) void navigate({ to: "/t/$tenant/flamegraph", params: { tenant }, search: momentOf(atS, drawn.range.stepS) as never });
  };
  const filtered = search.engine !== undefined || search.host !== undefined || search.model !== undefined;
  const at = search.at === undefined ? null : Number(search.at);
  return (
    <div className={style.page}>
      <PageHeader title="Engine metrics" ranged ingestedThrough={list.data?.ingestedThrough} refresh={() => void (list.refetch(), series.forEach((one) => void one.refetch()))} refreshing={list.isFetching || series.some(({ isFetching }) => isFetching)} />
      {list.data !== undefined && list.data.metrics.length > 0 && (
        <div className={style.bar}>
          <Filters list={list.data} search={search} change={change} />
          {at !== null && drawn !== null && (
            <span className={style.selected} data-testid="selected-moment">
              {formatClock(at * 1_000, now)}
              <Link className={control.button} to="/t/$tenant/flamegraph" params={{ tenant }} search={momentOf(at, drawn.range.stepS) as never} data-testid="open-profile">
                <Flame size={13} aria-hidden="true" />
                Profile of {stepWords(drawn.range.stepS)}
              </Link>
              <button type="button" className={`${control.button} ${control.icon} ${control.quiet}`} aria-label="Drop the selected moment" onClick={() => change({ at: undefined })}>
                <X size={14} />
              </button>
            </span>
          )}
          {at === null && <span className={style.hint}>A click on a chart opens the profile of that moment; dragging chooses a range</span>}
        </div>
      )}
      {failed !== null && <Failure error={failed} retry={() => void (list.refetch(), series.forEach((one) => void one.refetch()))} />}
      {failed === null && (list.data === undefined || (list.data.metrics.length > 0 && drawn === null)) && <Loading what="engine metrics" rows={12} />}
      {failed === null && list.data?.metrics.length === 0 && <NoMetrics nothingYet={list.data.ingestedThrough === null} />}
      {failed === null && drawn !== null && list.data !== undefined && list.data.metrics.length > 0 && (
        <div className={style.panels} data-testid="panels" data-step={drawn.range.stepS} data-stale={fresh === null}>
          {drawn.panels.map(({ spec, data }) => (
            <MetricPanel
              key={spec.name}
              spec={spec}
              data={data}
              range={drawn.range}
              at={at}
              why={
                <Suspense fallback={filtered ? "No engine of this selection reports it." : "No engine reported it in this range."}>
                  <MissingText spec={spec} present={drawn.engines} filtered={filtered} />
                </Suspense>
              }
              select={(atS) => change({ at: String(atS) })}
              open={open}
              zoom={(fromS, toS) => change({ from: new Date(fromS * 1_000).toISOString().replace(".000Z", "Z"), to: new Date(toS * 1_000).toISOString().replace(".000Z", "Z") }, false)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

// The step that begins then, as the flamegraph's range.
function momentOf(atS: number, stepS: number): { readonly from: string; readonly to: string } {
  return { from: String(atS), to: String(atS + stepS) };
}

function stepWords(stepS: number): string {
  const [count, unit] = stepS % 86_400 === 0 ? [stepS / 86_400, "day"] : stepS % 3_600 === 0 ? [stepS / 3_600, "hour"] : stepS % 60 === 0 ? [stepS / 60, "minute"] : [stepS, "second"];
  return count === 1 ? `this ${unit}` : `these ${count} ${unit}s`;
}

function Filters({ list, search, change }: { readonly list: MetricsList; readonly search: MetricsSearch; readonly change: (next: MetricsSearch) => void }) {
  const names = {
    engine: [...new Set(list.metrics.flatMap(({ engines }) => engines))].sort(),
    host: [...new Set(list.metrics.flatMap(({ hosts }) => hosts.names))].sort(),
    model: [...new Set(list.metrics.flatMap(({ models }) => models.names))].sort(),
  };
  const cut = { engine: false, host: list.metrics.some(({ hosts }) => hosts.total > hosts.names.length), model: list.metrics.some(({ models }) => models.total > models.names.length) };
  return (
    <>
      {(["engine", "host", "model"] as const).map((field) => {
        const value = search[field];
        const all = value === undefined || names[field].includes(value) ? names[field] : [value, ...names[field]];
        return (
          <Select key={field} label={`Only this ${field}`} value={value ?? ""} change={(next) => change({ [field]: next === "" ? undefined : next })} testId={`metrics-${field}`}>
            <option value="">All {field}s</option>
            {all.filter((name) => name !== "").map((name) => (
              <option key={name} value={name}>
                {printable(name)}
              </option>
            ))}
            {cut[field] && <option disabled>more than these</option>}
          </Select>
        );
      })}
    </>
  );
}

function NoMetrics({ nothingYet }: { readonly nothingYet: boolean }) {
  return (
    <Empty title={nothingYet ? "Nothing was ingested yet" : "No engine metrics in this time range"} testId="no-metrics">
      <p>
        Queues, tokens, latencies and caches as vLLM, SGLang, Triton, TensorRT-LLM and Dynamo measure them.
        {nothingYet ? " They are here within seconds of their arrival:" : " Choose a longer range above, or import some:"}
      </p>
      <p>
        <code>curl -s http://localhost:8000/metrics &gt; before.txt</code>
      </p>
      <p>
        <code>curl -s http://localhost:8000/metrics &gt; after.txt</code>
      </p>
      <p>
        <code>npx lamella metrics import before.txt after.txt --host node-7</code>
      </p>
      <p>Two dumps tell what happened between them; one alone counts since the engine started and gives no rates.</p>
    </Empty>
  );
}
