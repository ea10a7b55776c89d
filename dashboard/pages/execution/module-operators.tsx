// The operators called in modules, those that took longest first; one that is opened shows what it launched: operator → launch → kernel.
import { ChevronRight } from "lucide-react";
import { printable } from "#core/printable.ts";
import { kernelSums } from "#core/trace/kernel-sums.ts";
import { operatorSums } from "#core/trace/operator-sums.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { formatCount, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { KernelChain } from "./kernel-chain.tsx";
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
