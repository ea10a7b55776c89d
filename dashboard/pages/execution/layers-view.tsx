// The layers of a model beside each other: what each took, which are not like the others and where inside, and one layer's operators against those of all.
import { Download } from "lucide-react";
import { useMemo } from "react";
import { csvLine } from "#core/csv-line.ts";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import { layerGrid, layerRuns } from "#core/trace/layer-grid.ts";
import { layerSpread } from "#core/trace/layer-spread.ts";
import { moduleStatistics } from "#core/trace/module-statistics.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import control from "../../parts/control.module.css";
import { saveFile } from "../../parts/save-file.ts";
import { Select } from "../../parts/select.tsx";
import { Empty } from "../../parts/states.tsx";
import { LayerBars } from "./layer-bars.tsx";
import { cellText, cellWidth, heatLabelWidth, LayerHeatmap } from "./layer-heatmap.tsx";
import { LayerPanel } from "./layer-panel.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { fileStem } from "./save-record.tsx";
import { moduleTree } from "./tree-rows.ts";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./layers-view.module.css";

const rowsMax = 60; // modules of the map; the ones that took most

export function LayersView({ open: { execution, record } }: { readonly open: OpenExecution }) {
  const [search, change] = useExecutionSearch();
  const { tree, runs } = useMemo(() => {
    const nodes = moduleStatistics(record);
    return { tree: moduleTree(record, nodes, ({ value }) => value), runs: layerRuns(nodes) };
  }, [record]);
  const run = runs.find(({ at }) => tree.paths[at] === search.run) ?? runs[0];
  const grid = useMemo(() => (run === undefined ? undefined : layerGrid(record, tree.nodes, run)), [record, tree, run]);
  if (run === undefined || grid === undefined) return <NoLayers modules={record.modules.parent.length} />;
  const { unit, label } = profileTypes[record.profileType];
  const total = (at: number) => grid.columns[at]!.values.reduce((sum, value) => sum + value, 0);
  const columns = grid.columns.length <= rowsMax ? grid.columns.map((_, at) => at) : grid.columns.map((_, at) => at).sort((a, b) => total(b) - total(a)).slice(0, rowsMax).sort((a, b) => a - b);
  const wanted = grid.columns.findIndex(({ at }) => tree.paths[at] === search.path);
  const column = columns.includes(wanted) ? wanted : 0;
  const asked = search.layer === undefined ? undefined : Number(search.layer);
  const layer = asked !== undefined && asked < grid.layers.length ? asked : undefined;
  const move = (nextColumn: number, nextLayer: number | undefined) =>
    change({ path: nextColumn === 0 ? undefined : tree.paths[grid.columns[nextColumn]!.at], layer: nextLayer === undefined ? undefined : String(nextLayer), ...(nextColumn === column ? {} : { op: undefined }) });
  const shown = grid.columns[column]!;
  const global = search.by === "all";
  const csv = () => [csvLine(["layer", ...grid.columns.map(({ at }) => tree.paths[at]!)]), ...grid.layers.map((name, one) => csvLine([name, ...grid.columns.map(({ values }) => values[one]!)]))].join("");
  return (
    <div className={style.split}>
      <div className={style.main}>
        <div className={style.bar}>
          {runs.length > 1 && (
            <Select label="Layers" value={tree.paths[run.at]!} change={(next) => change({ run: next === tree.paths[runs[0]!.at] ? undefined : next, layer: undefined, path: undefined, op: undefined })} testId="layer-run">
              {runs.map(({ at, label: name, rows }) => (
                <option key={at} value={tree.paths[at]}>
                  {printable(name)} ×{rows.length}
                </option>
              ))}
            </Select>
          )}
          <span role="group" aria-label="Scale of the colours" className={style.choice}>
            {([["row", "Scale by row"], ["all", "One scale"]] as const).map(([name, words]) => (
              <button key={name} type="button" className={control.button} aria-pressed={global === (name === "all")} onClick={() => change({ by: name === "all" ? "all" : undefined })} data-testid={`scale-${name}`}>
                {words}
              </button>
            ))}
          </span>
          <span className={style.scale} aria-hidden="true">
            {global ? "0" : "least"}
            <i />
            most{global ? "" : " of the row"}
          </span>
          <span className={style.scale}>
            <b aria-hidden="true" /> unlike the others
          </span>
          <span className={style.gap} />
          <button type="button" className={control.button} title="Every layer and module, unrounded" onClick={() => saveFile(`${fileStem(execution)}.layers.csv`, csv(), "text/csv;charset=utf-8")} data-testid="layers-csv">
            <Download size={13} aria-hidden="true" />
            CSV
          </button>
        </div>
        <div className={style.wide}>
          <div className={style.chart}>
            <div className={style.caption} style={{ width: heatLabelWidth }}>
              <h2>{column === 0 ? printable(run.label) : printable(shown.label)}</h2>
              <p>
                {label} in each of {grid.layers.length} layers{shown.copies > 1 && `, ${shown.copies} of it in one added up`}. The line is the median, the band median ± 3 × the median distance.
              </p>
            </div>
            <div className={style.plot}>
              <LayerBars label={`${label} of ${printable(shown.label)}`} what={column === 0 ? "" : printable(shown.label)} layers={grid.layers} values={shown.values} unit={unit} selected={layer} open={(one) => move(column, one)} barWidth={cellWidth} />
            </div>
          </div>
          <LayerHeatmap grid={grid} columns={columns} unit={unit} global={global} column={column} layer={layer} move={move} />
        </div>
        <p className={style.said} aria-live="polite" data-testid="heat-cell">
          {layer === undefined ? "Choose a cell, or a bar, for what it holds; its layer opens beside." : cellText(grid, layerSpread(shown.values), column, layer, unit)}
        </p>
        {columns.length < grid.columns.length && <p className={style.said}>{plural(grid.columns.length - columns.length, "module", "modules")} that took least are not in the map; the CSV has them.</p>}
      </div>
      {layer !== undefined && (
        <LayerPanel executionId={execution.id} record={record} run={run} grid={grid} layer={layer} column={column} op={search.op} change={change} close={() => change({ layer: undefined, op: undefined })} />
      )}
    </div>
  );
}

function NoLayers({ modules }: { readonly modules: number }) {
  return (
    <Empty title="No layers to put beside each other" testId="no-layers">
      <p>
        {modules === 0
          ? "The file names no modules."
          : "No module of this execution stands in a row with others that are built alike: same class, same attributes, all the way down. Compiled code and replayed graphs have no layers of their own."}
      </p>
      <p>A recording in eager mode has them: <code>python -m lamella.record</code>, or torch.profiler with with_stack=True.</p>
    </Empty>
  );
}
