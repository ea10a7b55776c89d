// Above the graph and the list: search, the roles, what is resolved and overlaid, and what the overlay's figures are of.
import type { RefObject } from "react";
import type { ModuleRole } from "#core/shape/role.ts";
import type { ModelLayout, ModelRow } from "#schema/api/models.ts";
import { printable } from "#core/printable.ts";
import { useFieldValues } from "../../app/use-field-values.ts";
import { toApiError } from "../../parts/api-error.ts";
import control from "../../parts/control.module.css";
import { isFilterProblem } from "../../parts/is-filter-problem.ts";
import { LazyFilterBar } from "../../parts/lazy-filter-bar.tsx";
import { formatExact, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { Select } from "../../parts/select.tsx";
import { ModelViews } from "./model-views.tsx";
import { ModuleSearch } from "./module-search.tsx";
import { RoleLegend } from "./role-legend.tsx";
import { sizesText } from "./shape-layout.ts";
import type { Structure } from "./use-structure.ts";
import style from "./model-structure.module.css";

type Props = {
  readonly structure: Structure;
  readonly model: ModelRow;
  readonly layouts: readonly ModelLayout[];
  readonly timeLabel: string;
  readonly kept: ModuleRole | null;
  readonly hover: (role: ModuleRole | null) => void;
  readonly searchInput: RefObject<HTMLInputElement | null>;
  readonly leaveSearch: () => void;
};

export function StructureBar({ structure, model, layouts, timeLabel, kept, hover, searchInput, leaveSearch }: Props) {
  const { search, change, found, problem, layoutId } = structure;
  const values = useFieldValues();
  return (
    <div className={style.bar}>
      <ModelViews />
      <ModuleSearch input={searchInput} value={search.q ?? ""} found={found} problem={problem} change={(q) => change({ q: q === "" ? undefined : q })} pick={structure.select} leave={leaveSearch} />
      <RoleLegend kept={kept} hover={hover} keep={(role) => change({ role: role ?? undefined })} />
      <span className={style.line} />
      <span className={style.options}>
        <label className={control.check} title="An alias, such as a tied output head, is linked to the module whose tensors it shares. Off: every path is a module of its own.">
          <input type="checkbox" checked={search.aliases !== "off"} onChange={(event) => change({ aliases: event.target.checked ? undefined : "off" })} data-testid="resolve-aliases" />
          Resolve aliases
        </label>
        <label className={control.check} title={`The share of the samples' ${timeLabel} on each module, and the copies that are unlike the others`}>
          <input type="checkbox" checked={search.times !== "off"} onChange={(event) => change({ times: event.target.checked ? undefined : "off" })} data-testid="show-times" />
          {timeLabel}
        </label>
        {layouts.length > 1 && (
          <Select label="Deployment whose sharding is shown" value={layoutId ?? ""} change={(layout) => change({ layout: layout === layouts[0]?.layoutId ? undefined : layout })} testId="layout">
            {layouts.map((one) => (
              <option key={one.layoutId} value={one.layoutId}>
                {sizesText(one)}
              </option>
            ))}
          </Select>
        )}
      </span>
      {search.times !== "off" && (
        <span className={style.filter}>
          <LazyFilterBar
            page="flamegraph"
            value={search.filter ?? ""}
            problem={structure.top.isError ? toApiError(structure.top.error) : null}
            values={values}
            apply={(filter) => change({ filter: filter === "" ? undefined : filter })}
          />
        </span>
      )}
      <TimeNote structure={structure} model={model} timeLabel={timeLabel} />
    </div>
  );
}

// What the shares are shares of, and what they leave out.
function TimeNote({ structure: { top, times, search }, model, timeLabel }: { readonly structure: Structure; readonly model: ModelRow; readonly timeLabel: string }) {
  if (search.times === "off") return null;
  if (top.isError && isFilterProblem(toApiError(top.error))) return null;
  if (top.isError) return <span className={style.timeNote}>The samples' time could not be read; the structure is whole without it.</span>;
  if (top.data === undefined) return null;
  if (times === null) return <span className={style.timeNote} data-testid="times-note">No samples in this time range name a module of this model.</span>;
  const { total, unit, withoutLayer, execution, simulated } = top.data;
  return (
    <span className={style.timeNote} data-testid="times-note">
      {top.isPlaceholderData && <b>still of the selection before · </b>}
      {simulated && <b>simulated data: no real device was measured · </b>}
      Shares are of <Quantity value={formatValue(total, unit)} /> {timeLabel}
      {execution !== null && <> of one execution</>} · <b>{formatShare(total === 0 ? 0 : withoutLayer / total)}</b> without a layer
      {times.cut > 0 && <> · {formatExact(times.cut)} modules with less time are not shown</>}
      {times.elsewhere > 0 && <> · {formatExact(times.elsewhere)} modules with samples are not in this shape of {printable(model.name)}</>}
    </span>
  );
}
