// The module tree with what each module took; of several executions, a column for each and how they differ.
import { Download } from "lucide-react";
import { useMemo } from "react";
import { csvLine } from "#core/csv-line.ts";
import { mergeRequests, type MergedRequests } from "#core/trace/merge-requests.ts";
import { unlikeWords } from "#core/trace/module-lines.ts";
import { moduleStatistics, type ModuleStatistics } from "#core/trace/module-statistics.ts";
import { requestRows, type RequestRow } from "#core/trace/request-rows.ts";
import { sortSiblings } from "#core/trace/sort-siblings.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import control from "../../parts/control.module.css";
import { saveFile } from "../../parts/save-file.ts";
import { Select } from "../../parts/select.tsx";
import { Empty } from "../../parts/states.tsx";
import { moduleColumns } from "./module-columns.tsx";
import { ModulePanel } from "./module-panel.tsx";
import { ModuleTreegrid, type TreegridNode } from "./module-treegrid.tsx";
import { NoSuchModule } from "./no-such-module.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { ownValues, sharesOfParent } from "./own-values.ts";
import { comparedPair, pairDifference, requestColumns } from "./request-columns.tsx";
import { RequestsStrip } from "./requests-strip.tsx";
import { fileStem } from "./save-record.tsx";
import type { TreeColumn } from "./tree-column.ts";
import { moduleTree, parseToggled, printToggled, revealed, treeRows, type ModuleTree } from "./tree-rows.ts";
import { useExecutionSearch } from "./use-execution-search.ts";
import { WithPicker } from "./with-picker.tsx";
import style from "./profiler-view.module.css";

export function ProfilerView({ open, beside }: { readonly open: OpenExecution; readonly beside: readonly OpenExecution[] }) {
  if (open.record.modules.parent.length === 0 && beside.every(({ record }) => record.modules.parent.length === 0)) return <NoModules open={open} />;
  return beside.length === 0 ? <One open={open} /> : <Several all={[open, ...beside]} />;
}

function One({ open }: { readonly open: OpenExecution }) {
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
  return (
    <div className={style.split}>
      <Tree
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

function Several({ all }: { readonly all: readonly OpenExecution[] }) {
  const [search] = useExecutionSearch();
  const { profileType, totals } = all[0]!.record;
  const { unit } = profileTypes[profileType];
  const sort = search.sort;
  const { merged, tree, columns } = useMemo(() => {
    const together = distinctLabels(mergeRequests(all.map(({ record }) => record), all.map(({ execution }) => execution.name)), all);
    const [from, to] = comparedPair(together);
    const rows = requestRows(together);
    const first = (row: RequestRow) => row.values[0] ?? 0;
    const key = sort === "difference" ? (row: RequestRow) => Math.abs(pairDifference(row, from, to)) : sort === "value" ? first : undefined;
    const shown = moduleTree(together, key === undefined ? rows : sortSiblings(rows, key), (row) => Math.max(...row.values.map((value) => value ?? 0)));
    return { merged: together, tree: shown, columns: requestColumns(together, unit, sharesOfParent(shown, (row) => row.values[from] ?? 0, together.requests[from]!.value || totals.value)) };
  }, [all, sort, unit, totals.value]);
  return (
    <div className={style.column}>
      <RequestsStrip all={all} merged={merged} />
      <div className={style.split}>
        <Tree
          tree={tree}
          columns={columns}
          fileName={`${fileStem(all[0]!.execution)}.requests.csv`}
          orders={{ "": "In order of the first call", difference: "Those that differ most first", value: "Those that took most first" }}
        />
      </div>
    </div>
  );
}

// The same request twice, as eager and compiled: its label says which only with the execution's name.
function distinctLabels(merged: MergedRequests, all: readonly OpenExecution[]): MergedRequests {
  const labels = merged.requests.map(({ label }) => label);
  const twice = (label: string) => labels.indexOf(label) !== labels.lastIndexOf(label);
  return { ...merged, requests: merged.requests.map((request, at) => (twice(request.label) && request.label !== all[at]!.execution.name ? { ...request, label: `${request.label} · ${all[at]!.execution.name}` } : request)) };
}

type TreeProps<Node extends TreegridNode> = {
  readonly tree: ModuleTree<Node>;
  readonly columns: readonly TreeColumn<Node>[];
  readonly fileName: string;
  readonly mark?: (node: Node) => string;
  readonly orders: Readonly<Record<string, string>>; // by `sort` of the URL
};

function Tree<Node extends TreegridNode>({ tree, columns, fileName, mark, orders }: TreeProps<Node>) {
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

function NoModules({ open: { record } }: { readonly open: OpenExecution }) {
  const missing = record.missing.find(({ what }) => what.startsWith("modules"));
  return (
    <Empty title="This execution has no modules" testId="no-modules">
      <p>{missing === undefined ? "Its file knows nothing of PyTorch modules." : `${missing.what[0]!.toUpperCase()}${missing.what.slice(1)}.`}</p>
      {missing !== undefined && <p>{missing.remedy}.</p>}
      <p>Kernels and steps have views of their own above; the flamegraph shows all its stacks.</p>
    </Empty>
  );
}
