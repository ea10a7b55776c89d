// The model as blocks from top to bottom: what runs in no module, then the modules with their bars, copies as one block ×N; a block opens in place. Beside it the
// layers, one layer, or one module.
import { useId, useMemo, type KeyboardEvent } from "react";
import { layerGrid, layerRuns } from "#core/trace/layer-grid.ts";
import { moduleStatistics, type ModuleStatistics } from "#core/trace/module-statistics.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { Empty } from "../../parts/states.tsx";
import { treeMove } from "../../parts/tree-move.ts";
import { ArchitectureBlock, childrenOf, nothingSaid, type Drawing } from "./architecture-block.tsx";
import { LayerPanel } from "./layer-panel.tsx";
import { LayerSidebar } from "./layer-sidebar.tsx";
import { ModulePanel } from "./module-panel.tsx";
import { NoSuchModule } from "./no-such-module.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { OutsideBlock } from "./outside-block.tsx";
import { ownValues, sharesOfParent } from "./own-values.ts";
import { moduleTree, parseToggled, printToggled, revealed, treeRows } from "./tree-rows.ts";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./architecture.module.css";

const timeOf = ({ value }: ModuleStatistics) => value;

export function ArchitectureView({ open: { execution, record } }: { readonly open: OpenExecution }) {
  const [search, change] = useExecutionSearch();
  const id = useId();
  const { tree, runs, shares, own } = useMemo(() => {
    const nodes = moduleStatistics(record);
    const made = moduleTree(record, nodes, timeOf);
    return { tree: made, runs: layerRuns(nodes), shares: sharesOfParent(made, timeOf, record.totals.value), own: ownValues(made, timeOf) };
  }, [record]);
  const selected = search.path === undefined ? -1 : tree.paths.indexOf(search.path);
  const asked = useMemo(() => parseToggled(search.toggled), [search.toggled]);
  const toggled = useMemo(() => (selected < 0 ? asked : revealed(tree, asked, selected)), [tree, asked, selected]);
  const rows = useMemo(() => treeRows(tree, toggled), [tree, toggled]);
  // The layers in question: those that the selected module lies in, else those that took most.
  const run = runs.find(({ at }) => (search.run === undefined ? isInside(tree.parent, selected, at) : tree.paths[at] === search.run)) ?? runs[0];
  const grid = useMemo(() => (run === undefined ? undefined : layerGrid(record, tree.nodes, run)), [record, tree, run]);
  if (tree.nodes.length === 0) return <NoBlocks />;
  const { unit } = profileTypes[record.profileType];
  const active = selected >= 0 ? rows.find(({ at }) => at === selected) : rows[0];
  const toggle = (paths: readonly string[]) => {
    const next = new Set(toggled);
    for (const path of paths) if (!next.delete(path)) next.add(path);
    const closed = paths.find((path) => selected !== tree.paths.indexOf(path) && isInside(tree.parent, selected, tree.paths.indexOf(path)));
    change({ toggled: printToggled(next), ...(closed === undefined ? {} : { path: closed, op: undefined }) });
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target as Element).hasAttribute("data-select") || active === undefined) return;
    const move = treeMove(rows, active, event.key);
    if (move === undefined) return;
    event.preventDefault();
    if (move.toggle.length > 0) toggle(move.toggle);
    else {
      change({ path: move.select, op: undefined, layer: undefined });
      document.getElementById(`${id}-${tree.paths.indexOf(move.select)}`)?.focus();
    }
  };
  const drawing: Drawing = {
    record, tree, shares, own, selected, id, active: active?.at ?? -1, rows: new Map(rows.map((row) => [row.at, row])),
    // A module that is chosen opens; chosen again it closes. An operator of it leaves it as it is.
    select: (at, op) => {
      const closed = op === undefined && rows.some((row) => row.at === at && row.open === false);
      const next = new Set(toggled);
      if (closed && !next.delete(tree.paths[at]!)) next.add(tree.paths[at]!);
      change({ path: tree.paths[at], op, layer: undefined, ...(closed ? { toggled: printToggled(next) } : {}) });
    },
    toggle: (at) => toggle([tree.paths[at]!]),
  };
  const layer = search.layer === undefined || grid === undefined || Number(search.layer) >= grid.layers.length ? undefined : Number(search.layer);
  return (
    <div className={style.split}>
      <div className={style.main}>
        <div className={style.column}>
          {search.path !== undefined && selected < 0 && <NoSuchModule path={search.path} />}
          <OutsideBlock record={record} above />
          <ul className={style.roots} aria-label="Modules" onKeyDown={keyDown} data-testid="architecture">
            {childrenOf(tree, -1).map((at) => (
              <ArchitectureBlock key={at} drawing={drawing} at={at} said={nothingSaid} />
            ))}
          </ul>
          <OutsideBlock record={record} above={false} />
        </div>
      </div>
      {layer !== undefined && run !== undefined && grid !== undefined ? (
        <LayerPanel
          executionId={execution.id}
          record={record}
          run={run}
          grid={grid}
          layer={layer}
          column={Math.max(0, grid.columns.findIndex(({ at }) => at === selected))}
          op={search.op}
          change={change}
          close={() => change({ layer: undefined, op: undefined })}
        />
      ) : selected >= 0 ? (
        <ModulePanel
          executionId={execution.id}
          record={record}
          node={tree.nodes[selected]!}
          own={own[selected]!}
          op={search.op}
          openOp={(op) => change({ op })}
          openLayer={(row) => grid !== undefined && grid.layerOf[row]! >= 0 && change({ layer: String(grid.layerOf[row]), op: undefined }, true)}
          close={() => change({ path: undefined, op: undefined })}
        />
      ) : (
        run !== undefined && grid !== undefined && <LayerSidebar run={run} grid={grid} unit={unit} open={(one) => change({ layer: String(one), op: undefined }, true)} />
      )}
    </div>
  );
}

function isInside(parent: Int32Array, at: number, holder: number): boolean {
  for (let above = at; above >= 0; above = parent[above]!) if (above === holder) return true;
  return false;
}

function NoBlocks() {
  return (
    <Empty title="No modules to draw" testId="no-blocks">
      <p>The file names no modules, so there is no architecture to read off it. What the file lacks, and how to have it next time, is listed above.</p>
    </Empty>
  );
}
