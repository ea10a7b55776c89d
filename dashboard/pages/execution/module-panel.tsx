// The selected module: its times, the copies it stands for beside each other, the operators called in it, and the way to its frames.
import { Boxes, Flame, X } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { printable } from "#core/printable.ts";
import { copyLabel, type ModuleStatistics } from "#core/trace/module-statistics.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import control from "../../parts/control.module.css";
import { formatCount, formatExact, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { framesSearch } from "./frames-link.ts";
import { LayerBars } from "./layer-bars.tsx";
import { ModuleOperators } from "./module-operators.tsx";
import style from "./module-panel.module.css";

export type ModulePanelProps = {
  readonly executionId: string;
  readonly record: ExecutionRecord;
  readonly node: ModuleStatistics;
  readonly own: number; // of its time, in no module it calls
  readonly op: string | undefined;
  readonly openOp: (op: string | undefined) => void;
  readonly openLayer: (row: number) => void; // one copy of it, by its row
  readonly close: () => void;
  readonly of?: string | undefined; // which of several executions it is in
};

export function ModulePanel({ executionId, record, node, own, op, openOp, openLayer, close, of }: ModulePanelProps) {
  const { modules, texts, totals, profileType } = record;
  const { unit, label } = profileTypes[profileType];
  const onGpu = profileType === "cuda";
  const row = node.rows[0]!;
  const [path, lastPath] = [texts[modules.path[row]!]!, texts[modules.path[node.rows.at(-1)!]!]!];
  const single = node.rows.length === 1;
  const longest = node.rows.reduce((most, one) => ((onGpu ? modules.gpu : modules.cpu).max[one]! > (onGpu ? modules.gpu : modules.cpu).max[most]! ? one : most), row);
  const slowest = (onGpu ? modules.gpu : modules.cpu).slowest[longest]!;
  const rows = [...node.rows].sort((a, b) => a - b);
  const name = copyLabel(rows.map((one) => texts[modules.path[one]!]!));
  const attribute = path.split(".").at(-1)!;
  return (
    <aside className={style.panel} aria-label="Module details" data-testid="module-panel" data-module={path}>
      <header>
        <div>
          <h2>{printable(texts[modules.class[row]!]! || texts[modules.name[row]!]!)}</h2>
          <p className={style.path}>
            {printable(path) || "the root"}
            {lastPath !== path && <> … {printable(lastPath)}</>}
          </p>
        </div>
        <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Close the details" onClick={close}>
          <X size={14} />
        </button>
      </header>
      {of !== undefined && <p className={style.note}>In {printable(of)}</p>}
      <div className={style.links}>
        <FramesLink executionId={executionId} names={node.rows.map((one) => texts[modules.name[one]!]!)} />
        <ModelLink record={record} path={path} />
      </div>
      <dl className={style.facts}>
        <Fact label={label}>
          <Quantity value={formatValue(node.value, unit)} /> · {formatShare(totals.value === 0 ? 0 : node.value / totals.value)}
        </Fact>
        <Fact label="Its own" title="Not in a module that it calls">
          <Quantity value={formatValue(own, unit)} />
        </Fact>
        <Fact label="Calls">{formatExact(node.calls)}</Fact>
        {node.min + node.max > 0 && (
          <Fact label="min / median / max" title={`${onGpu ? "GPU time" : "Time on the host"} of one call`}>
            {[node.min, node.median, node.max].map((ns) => formatValue(ns, "ns").text).join(" / ")}
          </Fact>
        )}
        {node.calls > 1 && slowest > 0 && <Fact label="The longest">call {formatExact(slowest)}{single ? "" : ` of ${printable(name(rows.indexOf(longest)))}`}</Fact>}
        {onGpu && <Fact label="CPU time">{node.cpuTotal === 0 ? <span title="No call of it on the host is known, as in a replayed graph">—</span> : <Quantity value={formatValue(node.cpuTotal, "ns")} />}</Fact>}
        {onGpu && (
          <Fact label="Kernels">
            <Quantity value={formatCount(node.kernels)} />
          </Fact>
        )}
      </dl>
      {!single && (
        <section>
          <h3>{formatExact(node.rows.length)} copies built alike</h3>
          <LayerBars label={`${label} of ${printable(node.label)}`} what={name(0).endsWith(attribute) ? "" : printable(attribute)} layers={rows.map((_, copy) => name(copy))} values={rows.map((one) => modules.value[one]!)} unit={unit} selected={undefined} open={(copy) => openLayer(rows[copy]!)} />
        </section>
      )}
      <ModuleOperators record={record} rows={node.rows} op={op} openOp={openOp} />
    </aside>
  );
}

export function FramesLink({ executionId, names }: { readonly executionId: string; readonly names: readonly string[] }) {
  const { tenant } = useSession();
  return (
    <Link
      to="/t/$tenant/flamegraph"
      params={{ tenant }}
      search={((old: Record<string, unknown>) => ({ ...keepRange(old), execution: executionId, search: framesSearch(names) })) as never}
      className={control.button}
      data-testid="module-frames"
    >
      <Flame size={14} />
      Its frames in the flamegraph
    </Link>
  );
}

// Where the paths are those of a model whose structure may be stored.
function ModelLink({ record: { modelKey, pathSource }, path }: { readonly record: ExecutionRecord; readonly path: string }) {
  const { tenant, me } = useSession();
  if (modelKey === "" || me.flags.models !== true || (pathSource !== "recorded" && pathSource !== "aligned")) return null;
  return (
    <Link to="/t/$tenant/models/$model" params={{ tenant, model: modelKey }} search={((old: Record<string, unknown>) => ({ ...keepRange(old), path: path || "." })) as never} className={control.button} data-testid="module-in-model">
      <Boxes size={14} />
      Its place in the model
    </Link>
  );
}

export function Fact({ label, title, children }: { readonly label: string; readonly title?: string; readonly children: ReactNode }) {
  return (
    <div title={title}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
