// The selected module beside the graph: totals, relations, precision, its time, its own tensors, and the way to its frames.
import { Flame, ListTree, X } from "lucide-react";
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
import { formatBytes, formatCount, formatExact } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { GraphTimes } from "./graph/module-graph.tsx";
import { moduleAliases, sharingOf, type Sharing } from "./alias-links.ts";
import { rowPath, type ModuleNode, type ShapeFacts } from "./module-nodes.ts";
import type { TreeState } from "./tree-state.ts";
import { RoleMark } from "./role-mark.tsx";
import { Fact, PathButton, Section } from "./detail-parts.tsx";
import { ModuleTimeSection } from "./module-time.tsx";
import { Precision } from "./precision.tsx";
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
      {times !== null && <ModuleTimeSection times={times} node={node} label={timeLabel} reveal={reveal} />}
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

function lastStep(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
