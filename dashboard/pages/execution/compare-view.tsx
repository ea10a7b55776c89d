// What differs from this execution to another: in total, by phase, by what the kernels do, and module by module. Eager against compiled is read here: the
// modules differ, the kernels compare.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeftRight, Download } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { csvLine } from "#core/csv-line.ts";
import { countText } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import { categoryRows, moduleRows, phaseRows, totalRows } from "#core/trace/comparison-rows.ts";
import { runMode } from "#core/trace/run-mode.ts";
import type { ExecutionComparison } from "#schema/api/execution-comparison.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import control from "../../parts/control.module.css";
import { saveFile } from "../../parts/save-file.ts";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { ComparedModules } from "./compared-modules.tsx";
import { ComparedTable, countOr, valueOr } from "./compared-table.tsx";
import { comparisonQuery } from "./execution-query.ts";
import type { OpenExecution } from "./open-execution.ts";
import { RunModeBadge } from "./run-mode-badge.tsx";
import { fileStem } from "./save-record.tsx";
import { WithPicker } from "./with-picker.tsx";
import style from "./compare-view.module.css";

export function CompareView({ open, beside }: { readonly open: OpenExecution; readonly beside: readonly OpenExecution[] }) {
  const { tenant } = useSession();
  const other = beside[0];
  const answer = useQuery({ ...comparisonQuery(tenant, open.execution.id, other?.execution.id ?? ""), enabled: other !== undefined });
  if (other === undefined) return <NothingChosen />;
  return (
    <div className={style.view}>
      <div className={style.sides}>
        <Side letter="A" open={open} />
        <Link
          to="/t/$tenant/executions/$execution"
          params={{ tenant, execution: other.execution.id }}
          search={((old: Record<string, unknown>) => ({ ...keepRange(old), view: "compare", with: open.execution.id })) as never}
          className={`${control.button} ${control.icon}`}
          aria-label="Exchange A and B"
          title="Exchange A and B"
          data-testid="exchange"
        >
          <ArrowLeftRight size={14} />
        </Link>
        <Side letter="B" open={other} />
        <WithPicker single />
        {answer.isSuccess && (
          <button type="button" className={control.button} title="All modules, unrounded" onClick={() => saveFile(`${fileStem(open.execution)}-${other.execution.id.slice(0, 8)}.csv`, modulesCsv(answer.data), "text/csv;charset=utf-8")} data-testid="comparison-csv">
            <Download size={13} aria-hidden="true" />
            CSV
          </button>
        )}
      </div>
      {answer.isPending && <Loading what="the comparison" rows={10} />}
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isSuccess && <Tables comparison={answer.data} />}
    </div>
  );
}

function Side({ letter, open: { execution, record } }: { readonly letter: string; readonly open: OpenExecution }) {
  return (
    <p className={style.side}>
      <b>{letter}</b>
      <span title={printable(execution.name)}>{printable(execution.name)}</span>
      <small>{printable(record.device)}</small>
      <RunModeBadge mode={runMode(record)} testId={`mode-${letter}`} />
    </p>
  );
}

function Tables({ comparison }: { readonly comparison: ExecutionComparison }) {
  const { a, b, basis, notes, modules, modulesTotal } = comparison;
  const { unit } = profileTypes[a.profileType];
  const { totals, phases, categories, rows } = useMemo(() => ({ totals: totalRows(comparison), phases: phaseRows(comparison), categories: categoryRows(comparison), rows: moduleRows(comparison) }), [comparison]);
  const perToken = phases.rows.some(({ tokenA, tokenB }) => (tokenA ?? tokenB) !== null);
  const remarks = [
    ...(basis === "root call" ? [`${a.root!.class} was called ${countText(a.root!.calls)} × in A and ${countText(b.root!.calls)} × in B: times are per call of it, but for those of phases`] : []), ...notes,
    ...(modules.length < modulesTotal ? [`${countText(modulesTotal - modules.length)} modules that differ least are not shown`] : []),
  ];
  return (
    <div className={style.tables} data-testid="comparison" data-basis={basis}>
      {remarks.length > 0 && (
        <ul className={style.notes}>
          {remarks.map((note) => (
            <li key={note}>{printable(note)}.</li>
          ))}
        </ul>
      )}
      <div className={style.small}>
        <ComparedTable title={basis === "total" ? "In total" : "Per call of the root"} head="" rows={totals} unit={unit} testId="compared-totals" />
        {categories.length > 0 && (
          <ComparedTable title="By what the kernels do" head="category" rows={categories} unit={unit} extra={[["kernels A", ({ kernelsA }) => countOr(kernelsA)], ["kernels B", ({ kernelsB }) => countOr(kernelsB)]]} testId="compared-categories" />
        )}
        {phases.rows.length > 0 && (
          <ComparedTable
            title={phases.onGpu ? "By phase, per step" : "By phase, per step, on the host"}
            head="phase"
            rows={phases.rows}
            unit={unit}
            extra={[["steps A", ({ stepsA }) => countOr(stepsA)], ["steps B", ({ stepsB }) => countOr(stepsB)], ...(perToken ? ([["token A", (one: (typeof phases.rows)[number]) => valueOr(one.tokenA, unit)], ["token B", (one: (typeof phases.rows)[number]) => valueOr(one.tokenB, unit)]] as const) : [])]}
            testId="compared-phases"
          />
        )}
      </div>
      <ComparedModules rows={rows} unit={unit} basis={basis} />
    </div>
  );
}

function modulesCsv(comparison: ExecutionComparison): string {
  const { unit } = profileTypes[comparison.a.profileType];
  const head = ["module", "copies", "class", "in", `a_${unit}`, `b_${unit}`, `difference_${unit}`, "relative", `own_difference_${unit}`, "call_a_ns", "call_b_ns"];
  return [csvLine(head), ...moduleRows(comparison).map((one) => csvLine([one.name, one.copies, one.class, one.in, one.a, one.b, one.difference, one.relative, one.own, one.callA, one.callB]))].join("");
}

function NothingChosen() {
  return (
    <Empty title="Compare with another execution" testId="nothing-chosen">
      <p>Choose one, such as the same model compiled, on another GPU, or before a change. What differs is shown in total, by phase, by what the kernels do, and by module.</p>
      <WithPicker single />
      <p>
        From a terminal, for a pull request too: <code>npx lamella compare BEFORE AFTER --markdown</code>
      </p>
    </Empty>
  );
}
