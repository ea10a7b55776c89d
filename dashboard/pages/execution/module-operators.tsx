// The operators called in modules, those that took longest first; one that is opened shows what it launched: operator → launch → kernel.
import { ChevronRight } from "lucide-react";
import { printable } from "#core/printable.ts";
import { copyLabel } from "#core/trace/module-statistics.ts";
import { kernelSums } from "#core/trace/kernel-sums.ts";
import { operatorSums } from "#core/trace/operator-sums.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { formatCount, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { KernelChain } from "./kernel-chain.tsx";
import { LayerBars } from "./layer-bars.tsx";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./module-panel.module.css";

const shownMax = 40;

export type ModuleOperatorsProps = { readonly record: ExecutionRecord; readonly rows: readonly number[]; readonly op: string | undefined; readonly openOp: (op: string | undefined) => void };

export function ModuleOperators({ record, rows, op: opened, openOp }: ModuleOperatorsProps) {
  const { texts, profileType, operationsLeftOut, kernelsLeftOut } = record;
  const { unit } = profileTypes[profileType];
  const within = new Set(rows);
  const launched = new Map<number, { value: number; count: number }>();
  for (const sum of kernelSums(record, within)) {
    const op = record.kernels.op[sum.row]!;
    const known = launched.get(op) ?? { value: 0, count: 0 };
    launched.set(op, { value: known.value + sum.value, count: known.count + sum.count });
  }
  const host = operatorSums(record, within);
  const ops = [...host, ...[...launched.keys()].filter((op) => !host.some((one) => one.op === op)).map((op) => ({ op, calls: 0, cpuNs: 0 }))]
    .map((one) => ({ ...one, ...(launched.get(one.op) ?? { value: 0, count: 0 }) }))
    .sort((a, b) => b.value - a.value || b.cpuNs - a.cpuNs);
  if (ops.length === 0) return <p className={style.note}>No operator is called in it itself: its time is that of the modules it calls.</p>;
  const left = operationsLeftOut + kernelsLeftOut > 0 ? " Short ones have no room in the record; the flamegraph has them." : "";
  return (
    <section>
      <h3>Operators called in it itself</h3>
      <ul className={style.operators} data-testid="module-operators">
        {ops.slice(0, shownMax).map(({ op, calls, cpuNs, value, count }) => {
          const name = texts[op]!;
          const open = opened === name;
          return (
            <li key={op}>
              <button type="button" aria-expanded={open} onClick={() => openOp(open ? undefined : name)} data-testid="operator" data-op={name}>
                <ChevronRight size={13} aria-hidden="true" data-open={open} />
                <code>{printable(name) || "no operator"}</code>
                <span>
                  {count > 0 ? <Quantity value={formatValue(value, unit)} /> : <Quantity value={formatValue(cpuNs, "ns")} />}
                  <small>{count > 0 ? "" : " CPU"} ×{formatCount(Math.max(calls, calls === 0 ? count : 0)).text}</small>
                </span>
              </button>
              {open && rows.length > 1 && <AcrossCopies record={record} rows={rows} op={op} onGpu={count > 0} />}
              {open && <KernelChain record={record} rows={rows} op={op} calls={calls} cpuNs={cpuNs} />}
            </li>
          );
        })}
      </ul>
      <p className={style.note}>
        {ops.length > shownMax ? `and ${ops.length - shownMax} shorter ones. ` : ""}
        In order of time: the record does not keep the order of calls.{left}
      </p>
    </section>
  );
}

// One operator in every copy of the module: in every layer.
function AcrossCopies({ record: { modules, operations, kernels, texts }, rows: unordered, op, onGpu }: { readonly record: ExecutionRecord; readonly rows: readonly number[]; readonly op: number; readonly onGpu: boolean }) {
  const [search, change] = useExecutionSearch();
  const rows = [...unordered].sort((a, b) => a - b);
  const place = new Map(rows.map((row, at) => [row, at]));
  const values = rows.map(() => 0);
  const [table, times] = onGpu ? [kernels, kernels.value] : [operations, operations.cpuNs];
  for (const [at, module] of table.module.entries()) if (table.op[at] === op && place.has(module)) values[place.get(module)!]! += times[at]!;
  const name = copyLabel(rows.map((row) => texts[modules.path[row]!]!));
  return <LayerBars label={`${onGpu ? "GPU time" : "Time on the host"} of ${printable(texts[op]!)}`} what={printable(texts[op]!)} layers={rows.map((_, at) => name(at))} values={values} unit="ns" selected={search.layer === undefined ? undefined : Number(search.layer)} open={(at) => change({ layer: String(at) })} />;
}
