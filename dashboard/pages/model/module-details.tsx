// The selected module beside the graph: totals, relations, precision, its time, its own tensors, and the way to its frames.
import { Flame, ListTree, X } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { searchFor } from "#core/flamegraph/search.ts";
import { moduleDetail } from "#core/shape/module-detail.ts";
import { printable } from "#core/printable.ts";
import { searchForModule } from "#core/shape/frame-name.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { roleOfClass } from "#core/shape/role.ts";
import type { ModuleDetail } from "#schema/api/shapes.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import control from "../../parts/control.module.css";
import { formatBytes, formatCount, formatExact, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { GraphTimes } from "./graph/module-graph.tsx";
import { moduleAliases, sharingOf, type Sharing } from "./alias-links.ts";
import { rowPath, type ModuleNode, type ShapeFacts } from "./module-nodes.ts";
import type { TreeState } from "./tree-state.ts";
import { RoleMark } from "./role-mark.tsx";
import { Spark, indexOf } from "./graph/spark.tsx";
import { TensorTable } from "./tensor-table.tsx";
import style from "./module-details.module.css";

const pathsShown = 3;

export type ModuleDetailsProps = {
  readonly node: ModuleNode;
  readonly facts: ShapeFacts;
  readonly state: TreeState;
  readonly layout: ShapeLayout | undefined; // undefined: none is stored
  readonly modelName: string;
  readonly modelId: string;
  readonly asked: string; // the path that was asked for: the node's, or that of a copy it stands for
  readonly times: GraphTimes | null;
  readonly timeLabel: string;
  readonly reveal: (path: string) => void;
  readonly unfold: () => void;
  readonly close: () => void;
};

export function ModuleDetails({ node, facts, state, layout, modelName, modelId, asked, times, timeLabel, reveal, unfold, close }: ModuleDetailsProps) {
  const { tenant } = useSession();
  const found = moduleDetail(facts.body, node.path, modelName, layout);
  if (!found.ok) return null;
  const { totals, repeat, precision, tensors } = found.value;
  const search = searchForModule({ className: node.className, path: node.path, lastPath: node.lastPath, modelName });
  const sharing = sharingOf(moduleAliases(facts.body), (path) => rowPath(facts, state, path) === node.path);
  const folded = node.copies > 1;
  return (
    <aside className={style.details} aria-label="Module details" data-testid="module-details">
      <header>
        <div>
          <div className={style.title}>
            <RoleMark role={roleOfClass(node.className)} />
            <h2>{printable(node.className)}</h2>
          </div>
          <p className={style.path}>
            {printable(node.path) || printable(modelName)}
            {node.lastPath !== node.path && <> … {printable(node.lastPath)}</>}
          </p>
          {asked !== node.path && <p className={style.path}>opened for {printable(asked)}</p>}
        </div>
        <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Close the details" onClick={close}>
          <X size={14} />
        </button>
      </header>
      <div className={style.actions}>
        <Link
          to="/t/$tenant/flamegraph"
          params={{ tenant }}
          search={((old: Record<string, unknown>) => ({ ...keepRange(old), filter: old.filter, search: searchFor(search), model: modelId })) as never}
          className={`${control.button} ${control.primary}`}
          title={folded ? `The search finds the frames of all ${formatExact(node.copies)} copies` : undefined}
          data-testid="analyze-module"
        >
          <Flame size={14} />
          Analyze with CUDA flamegraph
        </Link>
        {folded && (
          <button type="button" className={control.button} onClick={unfold} title="Choose a copy to see it by itself" data-testid="unfold">
            <ListTree size={14} />
            Unfold…
          </button>
        )}
      </div>
      <Section title="Totals">
        <dl className={style.facts}>
          <Fact label="Parameters" value={<Quantity value={formatCount(totals.parameters)} />} />
          <Fact label="Weights" value={<Quantity value={formatBytes(totals.weightBytes)} />} />
          <Fact label="Held by itself" value={<Quantity value={formatCount(totals.ownParameters)} />} />
          <Fact label="Submodules" value={formatExact(totals.submodules)} />
          {totals.unsizedTensors > 0 && <Fact label="Unsized tensors" value={formatExact(totals.unsizedTensors)} />}
        </dl>
      </Section>
      <Relations repeat={folded ? repeat : null} sharing={sharing} node={node} reveal={reveal} />
      {times !== null && <Time times={times} node={node} label={timeLabel} reveal={reveal} />}
      {precision.length > 0 && <Precision precision={precision} />}
      {tensors.length > 0 && <TensorTable tensors={tensors} layout={layout} reveal={reveal} />}
    </aside>
  );
}

type RelationsProps = { readonly repeat: ModuleDetail["repeat"]; readonly sharing: Sharing; readonly node: ModuleNode; readonly reveal: (path: string) => void };

function Relations({ repeat, sharing, node, reveal }: RelationsProps) {
  if (repeat === null && sharing.with.length === 0 && sharing.by.length === 0) return null;
  const paths = (all: readonly string[]) => (
    <>
      {all.slice(0, pathsShown).map((path) => (
        <PathButton key={path} path={path} reveal={reveal} />
      ))}
      {all.length > pathsShown && ` and ${formatExact(all.length - pathsShown)} more`}
    </>
  );
  return (
    <Section title="Relations">
      <dl className={style.facts}>
        {repeat !== null && (
          <>
            <Fact label="Copies" value={`×${formatExact(node.copies)}${node.copies === repeat.count ? "" : ` of ${formatExact(repeat.count)} alike`}`} />
            {node.repeat > 1 && <Fact label="Indices" value={`${lastStep(node.path)} … ${lastStep(node.lastPath)}`} />}
            <Fact label={`Parameters, all ${formatExact(repeat.count)}`} value={<Quantity value={formatCount(repeat.parameters)} />} />
            <Fact label={`Weights, all ${formatExact(repeat.count)}`} value={<Quantity value={formatBytes(repeat.weightBytes)} />} />
          </>
        )}
        {sharing.with.length > 0 && <Fact label="Alias, shares" value={paths(sharing.with)} />}
        {sharing.by.length > 0 && <Fact label="Shared by" value={paths(sharing.by)} />}
      </dl>
    </Section>
  );
}

export function PathButton({ path, reveal, module = path }: { readonly path: string; readonly reveal: (path: string) => void; readonly module?: string }) {
  return (
    <button type="button" className={style.reveal} title={`Show ${printable(module)} in the graph`} onClick={() => reveal(module)}>
      {printable(path)}
    </button>
  );
}

function Time({ times, node, label, reveal }: { readonly times: GraphTimes; readonly node: ModuleNode; readonly label: string; readonly reveal: (path: string) => void }) {
  const time = times.byPath.get(node.path);
  if (time === undefined) return <Section title={label}><p className={style.fine}>No samples in this time range name this module.</p></Section>;
  const value = (amount: number) => <Quantity value={formatValue(amount, times.unit)} />;
  return (
    <Section title={label}>
      <dl className={style.facts} data-testid="module-time">
        <Fact label="Share" value={formatShare(times.whole === 0 ? 0 : time.total / times.whole)} />
        <Fact label={time.copies.length > 1 ? "All copies" : "Total"} value={value(time.total)} />
        {time.copies.length > 1 && (
          <>
            <Fact label={`Least (${printable(indexOf(time.least, time.most))})`} value={value(time.least.value)} />
            <Fact label="Median" value={value(time.median)} />
            <Fact label={`Most (${printable(indexOf(time.most, time.least))})`} value={value(time.most.value)} />
            {time.copies.length < node.copies && <Fact label="Copies with samples" value={`${formatExact(time.copies.length)} of ${formatExact(node.copies)}`} />}
          </>
        )}
      </dl>
      {time.copies.length > 1 && <Spark time={time} unit={times.unit} />}
      {time.unlike.slice(0, 3).map(({ path, times: ratio }) => (
        <p key={path} className={style.unlike} data-testid="outlier">
          <PathButton path={path} reveal={reveal} /> takes {ratio.toFixed(1)}× the median of its copies
        </p>
      ))}
      {time.summed && <p className={style.fine}>The sum of the modules it holds: its own forward is never called, so it has no frames.</p>}
    </Section>
  );
}

// Weight bytes per dtype, as a share of the module's weights.
function Precision({ precision }: { readonly precision: ModuleDetail["precision"] }) {
  return (
    <Section title="Precision">
      <ul className={style.precision} data-testid="precision">
        {precision.map(({ dtype, tensors, bytes, share }) => (
          <li key={dtype} title={`${formatExact(tensors)} ${tensors === 1 ? "tensor" : "tensors"}`}>
            <span>{printable(dtype)}</span>
            <i style={{ width: `${(share ?? 0) * 100}%` }} />
            <span>{bytes === null ? "unsized" : <Quantity value={formatBytes(bytes)} />}</span>
            <span>{share === null ? "—" : formatShare(share)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function lastStep(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function Fact({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
