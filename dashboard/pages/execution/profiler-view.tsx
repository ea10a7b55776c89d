// The module tree of one execution with what each module took, and the selected module beside it.
import { useMemo } from "react";
import { unlikeWords } from "#core/trace/module-lines.ts";
import { moduleStatistics, type ModuleStatistics } from "#core/trace/module-statistics.ts";
import { sortSiblings } from "#core/trace/sort-siblings.ts";
import { moduleColumns } from "./module-columns.tsx";
import { NoModules } from "./no-modules.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { sharesOfParent } from "./own-values.ts";
import { ProfilerTree } from "./profiler-tree.tsx";
import { fileStem } from "./save-record.tsx";
import { SelectedModule } from "./selected-module.tsx";
import { moduleTree } from "./tree-rows.ts";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./profiler-view.module.css";

export function ProfilerView({ open }: { readonly open: OpenExecution }) {
  const { execution, record } = open;
  const [search] = useExecutionSearch();
  const byTime = search.sort === "value";
  const { tree, columns } = useMemo(() => {
    const nodes = moduleStatistics(record);
    const value = (node: ModuleStatistics) => node.value;
    const shown = moduleTree(record, byTime ? sortSiblings(nodes, value) : nodes, value);
    return { tree: shown, columns: moduleColumns(record, sharesOfParent(shown, value, record.totals.value)) };
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
      {selected >= 0 && <SelectedModule open={open} path={tree.paths[selected]!} />}
    </div>
  );
}
