// The module tree of one execution with what each module took, and the selected module beside it.
import { useMemo } from "react";
import { unlikeWords } from "#core/trace/module-lines.ts";
import { moduleStatistics, type ModuleStatistics } from "#core/trace/module-statistics.ts";
import { sortSiblings } from "#core/trace/sort-siblings.ts";
import { moduleColumns } from "./module-columns.tsx";
import { ModulePanel } from "./module-panel.tsx";
import { NoModules } from "./no-modules.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { ownValues, sharesOfParent } from "./own-values.ts";
import { ProfilerTree } from "./profiler-tree.tsx";
import { fileStem } from "./save-record.tsx";
import { moduleTree, type ModuleTree } from "./tree-rows.ts";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./profiler-view.module.css";

export function ProfilerView({ open }: { readonly open: OpenExecution }) {
  const { execution, record } = open;
  const [search, change] = useExecutionSearch();
  const byTime = search.sort === "value";
  const { tree, own, columns } = useMemo(() => {
    const nodes = moduleStatistics(record);
    const value = (node: ModuleStatistics) => node.value;
    const shown = moduleTree(record, byTime ? sortSiblings(nodes, value) : nodes, value);
    return { tree: shown, own: ownValues(shown, value), columns: moduleColumns(record, sharesOfParent(shown, value, record.totals.value)) };
  }, [record, byTime]);
  const selected = tree.paths.indexOf(search.path ?? "");
  if (tree.nodes.length === 0) return <NoModules record={record} />;
  return (
    <div className={style.split}>
      <ProfilerTree
        tree={tree}
        columns={columns}
        fileName={`${fileStem(execution)}.modules.csv`}
        mark={unlikeWords}
        orders={{ "": "In order of the first call", value: "Those that took most first" }}
      />
      {selected >= 0 && (
        <ModulePanel
          executionId={execution.id}
          record={record}
          node={tree.nodes[selected]!}
          own={own[selected]!}
          op={search.op}
          openOp={(op) => change({ op })}
          openLayer={(row) => change(layerOfRow(tree, row), true)}
          close={() => change({ path: undefined, op: undefined })}
        />
      )}
    </div>
  );
}

// A copy of a folded module → the layer it lies in, in the view of layers.
function layerOfRow(tree: ModuleTree<ModuleStatistics>, row: number) {
  let at = tree.nodes.findIndex(({ rows }) => rows.includes(row));
  const inside = tree.paths[at]!;
  while (at >= 0 && !(tree.nodes[at]!.ownCopies > 1 && tree.nodes[at]!.rows.length === tree.nodes[at]!.ownCopies)) at = tree.parent[at]!;
  if (at < 0) return {};
  const node = tree.nodes[tree.paths.indexOf(inside)]!;
  const run = tree.nodes[at]!;
  // Copies stand in the order of what holds them: the place among them, by how many each layer has.
  const layer = node === run ? run.rows.indexOf(row) : node.rows.indexOf(row) % run.rows.length;
  return { view: "layers" as const, run: tree.paths[at]!, layer: String(layer), path: inside, op: undefined };
}
