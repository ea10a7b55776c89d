// What a module calls itself, not through a module: its operators with their time against all of its time. One that is chosen opens its chain beside.
import { printable } from "#core/printable.ts";
import { type KernelSum, kernelSums } from "#core/trace/kernel-sums.ts";
import type { ModuleStatistics } from "#core/trace/module-statistics.ts";
import { operatorSums } from "#core/trace/operator-sums.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { ShareBar } from "./share-bar.tsx";
import style from "./architecture.module.css";

const shownMax = 6;

export function OwnOperators({ record, node, own, open }: { readonly record: ExecutionRecord; readonly node: Pick<ModuleStatistics, "rows" | "value" | "cpuTotal">; readonly own: number; readonly open: (op: string) => void }) {
  const { texts, profileType } = record;
  const onGpu = profileType === "cuda";
  const within = new Set(node.rows);
  const sums = kernelSums(record, within); // the longest first
  const times = new Map<number, number>();
  if (onGpu) for (const sum of sums) times.set(record.kernels.op[sum.row]!, (times.get(record.kernels.op[sum.row]!) ?? 0) + sum.value);
  else for (const { op, cpuNs } of operatorSums(record, within)) times.set(op, cpuNs);
  const ops = [...times].sort((a, b) => b[1] - a[1]);
  if (ops.length === 0) return null;
  const whole = onGpu ? node.value : Math.max(node.value, own);
  return (
    <section className={style.own}>
      <p className={style.source}>Its own operators, in order of time: {formatValue(own, profileTypes[profileType].unit).text} in no module</p>
      <ul>
        {ops.slice(0, shownMax).map(([op, time]) => (
          <li key={op}>
            <button type="button" title={chainText(record, op, sums)} onClick={() => open(texts[op]!)} data-testid="own-operator" data-op={texts[op]}>
              <code>{printable(texts[op]!) || "no operator"}</code>
              <span className={style.time}>
                <Quantity value={formatValue(time, "ns")} />
              </span>
              <span className={style.bar}>
                <ShareBar share={whole === 0 ? 0 : time / whole} title="Share of the time of this module" />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {ops.length > shownMax && <p className={style.source}>and {ops.length - shownMax} shorter ones, in its details</p>}
    </section>
  );
}

// On hover: operator → launch → kernel, of what took longest.
function chainText({ kernels, texts }: ExecutionRecord, op: number, sums: readonly KernelSum[]): string {
  const [longest, ...others] = sums.filter(({ row }) => kernels.op[row] === op);
  if (longest === undefined) return `${printable(texts[op]!)}\nlaunched no kernel`;
  const text = (column: "grid" | "block" | "dims" | "kernel") => printable(texts[kernels[column][longest.row]!]!);
  return [`${printable(texts[op]!)} ${text("dims")}`, `→ launch ×${longest.count}, grid ${text("grid") || "not recorded"}, block ${text("block") || "not recorded"}`, `→ ${text("kernel")}`, ...(others.length > 0 ? [`and ${others.length} other ways`] : [])].join("\n");
}
