// What differs from this model to another, or between two deployments of it: one line a change, copies folded.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { changeSign, whatText } from "#core/shape/compare/compare-text.ts";
import { printable } from "#core/printable.ts";
import type { ModelLayout, ModelRow, ModelsList } from "#schema/api/models.ts";
import type { ShapeChange, ShapeComparison } from "#schema/api/shapes.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import { formatBytes, formatCount, formatExact } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { Select } from "../../parts/select.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { ModelViews } from "./model-views.tsx";
import { sizesText } from "./shape-layout.ts";
import { searchOfPath } from "./structure-state.ts";
import style from "./compare-view.module.css";

export function CompareView({ model, shapeId, layouts }: { readonly model: ModelRow; readonly shapeId: string; readonly layouts: readonly ModelLayout[] }) {
  const { tenant } = useSession();
  const range = useTimeRange();
  const search = useSearch({ from: "/t/$tenant/models/$model" });
  const navigate = useNavigate({ from: "/t/$tenant/models/$model" });
  const models = useQuery({ queryKey: ["models-to-compare", tenant, range], queryFn: ({ signal }) => fetchApi<ModelsList>(tenant, "/models", { signal, query: { ...range, limit: 200 } }) });
  const others = (models.data?.models ?? []).filter((one) => one.shapeId !== null && one.shapeId !== shapeId);
  const deployments = layouts.slice(1);
  const other = search.with;
  const query = search.withLayout !== undefined && layouts[0] !== undefined ? { a: shapeId, b: shapeId, layoutA: layouts[0].layoutId, layoutB: search.withLayout } : other === undefined ? null : { a: shapeId, b: other };
  const comparison = useQuery({ queryKey: ["shape-compare", tenant, query], queryFn: ({ signal }) => fetchApi<ShapeComparison>(tenant, "/shapes/compare", { signal, query: query! }), enabled: query !== null });
  const names = { a: model.name, b: search.withLayout !== undefined ? model.name : (others.find((one) => one.shapeId === other)?.name ?? "the other model") };
  return (
    <div className={style.page}>
      <div className={style.bar}>
        <ModelViews />
        <span className={style.with}>with</span>
        <Select
          label="Compare with"
          value={search.withLayout ?? other ?? ""}
          change={(value) => void navigate({ search: (old) => ({ ...old, with: deployments.some((one) => one.layoutId === value) ? undefined : value || undefined, withLayout: deployments.some((one) => one.layoutId === value) ? value : undefined }) })}
          testId="compare-with"
        >
          <option value="">choose …</option>
          {deployments.length > 0 && (
            <optgroup label="Another deployment of this model">
              {deployments.map((one) => (
                <option key={one.layoutId} value={one.layoutId}>
                  {sizesText(one)}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label="Another model">
            {other !== undefined && !others.some((one) => one.shapeId === other) && <option value={other}>{`shape ${other.slice(0, 12)}…`}</option>}
            {others.map((one) => (
              <option key={one.id} value={one.shapeId!}>
                {printable(one.name)} ({one.parameters === null ? "?" : formatCount(one.parameters).text})
              </option>
            ))}
          </optgroup>
        </Select>
        {models.data?.next != null && <span className={style.fine}>the 200 seen last; narrow the time range for others</span>}
      </div>
      <div className={style.scroll} role="region" aria-label="Comparison" tabIndex={0}>
        {query === null && (
          <Empty title="Choose a model to compare with" testId="compare-nothing">
            <p>{others.length === 0 && models.isSuccess ? "No other model was seen in this time range. Choose a longer one above." : "What is added, removed or changed is listed, equal layers as one line."}</p>
          </Empty>
        )}
        {query !== null && comparison.isPending && <Loading what="the comparison" />}
        {comparison.isError && <Failure error={comparison.error} retry={() => void comparison.refetch()} />}
        {comparison.isSuccess && <Changes comparison={comparison.data} names={names} sameShape={search.withLayout !== undefined} />}
      </div>
    </div>
  );
}

function Changes({ comparison, names, sameShape }: { readonly comparison: ShapeComparison; readonly names: { readonly a: string; readonly b: string }; readonly sameShape: boolean }) {
  const { a, b, same, total, changes } = comparison;
  return (
    <div className={style.changes} data-testid="shape-changes" data-total={total}>
      {!sameShape && (
        <table className={style.sides}>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Class</th>
              <th scope="col">Parameters</th>
              <th scope="col">Weights</th>
              <th scope="col">Modules</th>
              <th scope="col">Dtypes</th>
            </tr>
          </thead>
          <tbody>
            {([["−", a, names.a], ["+", b, names.b]] as const).map(([sign, side, name]) => (
              <tr key={sign}>
                <th scope="row">
                  <b data-sign={sign}>{sign}</b> {printable(name)}
                </th>
                <td>{printable(side.rootClass)}</td>
                <td>
                  <Quantity value={formatCount(side.parameters)} />
                </td>
                <td>
                  <Quantity value={formatBytes(side.weightBytes)} />
                </td>
                <td>{formatExact(side.modules)}</td>
                <td>{printable(side.dtypes.join(", "))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={style.count}>{same ? "No change: both have one structure." : `${formatExact(total)} ${total === 1 ? "change" : "changes"}${total > changes.length ? `, the first ${formatExact(changes.length)} of them here` : ""}`}</p>
      <ul>
        {changes.map((change, at) => (
          <Change key={at} change={change} />
        ))}
      </ul>
    </div>
  );
}

function Change({ change }: { readonly change: ShapeChange }) {
  const { path, first, copies, of } = change;
  const sign = changeSign(change);
  const there = change.kind === "module_added" || change.kind === "tensor_added"; // in the other model only
  const module = change.kind.startsWith("tensor_") ? first.slice(0, Math.max(0, first.lastIndexOf("."))) : first;
  const name = path === "" ? "the model" : printable(path);
  return (
    <li data-sign={sign}>
      <b aria-label={{ "+": "added", "-": "removed", "~": "changed" }[sign]}>{sign === "-" ? "−" : sign}</b>
      <span className={style.path}>
        {there || change.kind === "sharding_changed" || change.kind === "alias_changed" || change.kind === "sizes_changed" ? (
          name
        ) : (
          <Link to="." search={((old: Record<string, unknown>) => ({ ...old, view: undefined, ...searchOfPath(module) })) as never} title="Show it in the graph">
            {name}
          </Link>
        )}
      </span>
      <span>{printable(whatText(change))}</span>
      <span className={style.copies}>{copies === 1 ? "" : copies === of ? `×${formatExact(copies)}` : `×${formatExact(copies)} of ${formatExact(of)}`}</span>
    </li>
  );
}
