// What changed, by kernel category, module and kernel: clear differences first, as the answer has them.
import { basisFigure, changeOf, intervalText } from "#core/flamegraph/compare/change-text.ts";
import { printable } from "#core/printable.ts";
import type { FlamegraphComparison, ProfileDifference } from "#schema/api/flamegraph-comparison.ts";
import { formatCount, formatExact, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { shortName } from "./label.ts";
import style from "./comparison-table.module.css";

type Named = ProfileDifference & { readonly key: string; readonly title: string; readonly beside: string };

export function ComparisonTable({ comparison }: { readonly comparison: FlamegraphComparison }) {
  const { categories, modules, kernels, left, overall, basis } = comparison;
  const named = (rows: FlamegraphComparison["kernels"], show: (name: string) => string) => rows.map((row) => ({ ...row, key: row.name, title: show(row.name), beside: "" }));
  const sections: readonly (readonly [string, string, readonly Named[], number])[] = [
    ...(basis === "share" ? [] : [["Whole", "selection", [{ ...overall, key: "all", title: "All", beside: "" }], 0] as const]),
    ["Kernel categories", "category", named(categories, printable), 0],
    ["Modules", "module", modules.map((row) => ({ ...row, key: row.path, title: row.path === "" ? "(the model)" : printable(row.path), beside: printable(row.classes.join(", ")) })), left.modules],
    ["Kernels", "kernel", named(kernels, (name) => shortName({ kind: "gpu_kernel", name })), left.kernels],
  ];
  return (
    <div className={style.scroll} tabIndex={0} role="region" aria-label="What changed" data-testid="comparison-table">
      {sections.filter(([, , rows]) => rows.length > 0).map(([title, head, rows, more]) => (
        <section key={title}>
          <h2>{title}</h2>
          <table className={style.table} data-testid={`changed-${head}`}>
            <thead>
              <tr>
                <th scope="col">{head}</th>
                {["A", "B", "Change", "95 % interval", "Launches A", "Launches B"].map((column) => (
                  <th key={column} scope="col" data-numeric="true">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.key} data-testid="changed-row" data-key={row.key} data-clear={row.clear}>
                  <th scope="row" title={printable(row.key)}>
                    {row.title} <span className={style.beside}>{row.beside}</span>
                  </th>
                  <Side row={row} side="a" comparison={comparison} />
                  <Side row={row} side="b" comparison={comparison} />
                  <td data-numeric="true" className={style.change}>
                    {changeOf(row)}
                  </td>
                  <td data-numeric="true" title={row.clear ? "The interval does not hold 0: clear" : undefined}>
                    {intervalText(row) || "—"}
                    {row.clear && <b className={style.clear}>clear</b>}
                  </td>
                  <td data-numeric="true">
                    <Quantity value={formatCount(row.a.count)} />
                  </td>
                  <td data-numeric="true">
                    <Quantity value={formatCount(row.b.count)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {more > 0 && <p className={style.more}>and {formatExact(more)} more, which differ less</p>}
        </section>
      ))}
    </div>
  );
}

function Side({ row, side, comparison }: { readonly row: ProfileDifference; readonly side: "a" | "b"; readonly comparison: FlamegraphComparison }) {
  return (
    <td data-numeric="true" title={`${formatValue(Math.round(row[side].value), comparison.unit).exact} in all`}>
      {basisFigure(row.perBasis[side], comparison)}
    </td>
  );
}
