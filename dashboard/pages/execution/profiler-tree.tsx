// The tree of the profiler with what chooses its order and what stands beside, and the file of it.
import { Download } from "lucide-react";
import { useMemo } from "react";
import { csvLine } from "#core/csv-line.ts";
import control from "../../parts/control.module.css";
import { saveFile } from "../../parts/save-file.ts";
import { Select } from "../../parts/select.tsx";
import { ModuleTreegrid, type TreegridNode } from "./module-treegrid.tsx";
import { NoSuchModule } from "./no-such-module.tsx";
import type { TreeColumn } from "./tree-column.ts";
import { parseToggled, printToggled, revealed, treeRows, type ModuleTree } from "./tree-rows.ts";
import { useExecutionSearch } from "./use-execution-search.ts";
import { WithPicker } from "./with-picker.tsx";
import style from "./profiler-view.module.css";

export type ProfilerTreeProps<Node extends TreegridNode> = {
  readonly tree: ModuleTree<Node>;
  readonly columns: readonly TreeColumn<Node>[];
  readonly fileName: string;
  readonly mark?: (node: Node) => string;
  readonly orders: Readonly<Record<string, string>>; // by `sort` of the URL
};

export function ProfilerTree<Node extends TreegridNode>({ tree, columns, fileName, mark, orders }: ProfilerTreeProps<Node>) {
  const [search, change] = useExecutionSearch();
  const asked = useMemo(() => parseToggled(search.toggled), [search.toggled]);
  const at = search.path === undefined ? -1 : tree.paths.indexOf(search.path);
  // A link to a module opens what holds it.
  const toggled = useMemo(() => (at < 0 ? asked : revealed(tree, asked, at)), [tree, asked, at]);
  const rows = useMemo(() => treeRows(tree, toggled), [tree, toggled]);
  const toggle = (paths: readonly string[]) => {
    const next = new Set(toggled);
    for (const path of paths) if (!next.delete(path)) next.add(path);
    // What is selected stays in sight: closing what holds it selects that instead.
    const closed = at < 0 ? undefined : paths.find((path) => isBelow(tree, at, tree.paths.indexOf(path)));
    change({ toggled: printToggled(next), ...(closed === undefined ? {} : { path: closed, op: undefined }) });
  };
  const csv = () => [csvLine(["depth", "module", "copies", ...columns.map(({ name, csvName = name }) => csvName)]), ...tree.nodes.map((node, i) => csvLine([node.depth, tree.paths[i]!, node.rows.length, ...columns.map(({ value }) => value(node, i))]))].join("");
  return (
    <div className={style.tree}>
      <div className={style.bar}>
        <WithPicker />
        <Select label="Order of the modules" value={search.sort !== undefined && search.sort in orders ? search.sort : ""} change={(next) => change({ sort: next === "" ? undefined : next })} testId="module-order">
          {Object.entries(orders).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </Select>
        <span className={style.gap} />
        <button type="button" className={control.button} title="All modules of the tree, open or not, unrounded" onClick={() => saveFile(fileName, csv(), "text/csv;charset=utf-8")} data-testid="modules-csv">
          <Download size={13} aria-hidden="true" />
          CSV
        </button>
      </div>
      {search.path !== undefined && at < 0 && <NoSuchModule path={search.path} />}
      <ModuleTreegrid rows={rows} columns={columns} selected={search.path} select={(path) => change({ path, op: undefined })} toggle={toggle} {...(mark === undefined ? {} : { mark })} />
    </div>
  );
}

function isBelow<Node>({ parent }: ModuleTree<Node>, at: number, holder: number): boolean {
  for (let above = parent[at]!; above >= 0; above = parent[above]!) if (above === holder) return true;
  return false;
}
