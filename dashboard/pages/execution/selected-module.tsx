// The module of an execution that the profiler's tree has selected, beside the tree; nothing where this execution does not have it.
import { useMemo } from "react";
import { moduleStatistics, type ModuleStatistics } from "#core/trace/module-statistics.ts";
import { ModulePanel } from "./module-panel.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { ownValues } from "./own-values.ts";
import { moduleTree, type ModuleTree } from "./tree-rows.ts";
import { useExecutionSearch } from "./use-execution-search.ts";

const timeOf = ({ value }: ModuleStatistics) => value;

export function SelectedModule({ open: { execution, record }, path, of }: { readonly open: OpenExecution; readonly path: string; readonly of?: string }) {
  const [search, change] = useExecutionSearch();
  const { tree, own } = useMemo(() => {
    const made = moduleTree(record, moduleStatistics(record), timeOf);
    return { tree: made, own: ownValues(made, timeOf) };
  }, [record]);
  const at = tree.paths.indexOf(path);
  if (at < 0) return null;
  return (
    <ModulePanel
      executionId={execution.id}
      record={record}
      node={tree.nodes[at]!}
      own={own[at]!}
      op={search.op}
      openOp={(op) => change({ op })}
      openLayer={(row) => change(layerOfRow(tree, row), true)}
      of={of}
      close={() => change({ path: undefined, op: undefined })}
    />
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
