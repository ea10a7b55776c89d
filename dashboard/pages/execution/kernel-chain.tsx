// One operator of a module as a chain: what went in → how it was launched → the kernel that ran, with what other tools know of it.
import { printable } from "#core/printable.ts";
import { dtypeNames, kernelSums } from "#core/trace/kernel-sums.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { formatExact, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { KernelMetrics } from "./kernel-metrics.tsx";
import style from "./kernel-chain.module.css";

const shownMax = 12;

export type KernelChainProps = { readonly record: ExecutionRecord; readonly rows: readonly number[]; readonly op: number; readonly calls: number; readonly cpuNs: number };

export function KernelChain({ record, rows, op, calls, cpuNs }: KernelChainProps) {
  const { kernels, texts, kernelMetrics, profileType } = record;
  const sums = kernelSums(record, new Set(rows), op);
  const text = (column: "grid" | "block" | "dims" | "dtypes" | "kernel" | "category" | "fused", row: number) => texts[kernels[column][row]!]!;
  return (
    <div className={style.chains} data-testid="kernel-chain">
      <p className={style.host}>{calls > 0 ? <>On the host: {formatExact(calls)} {calls === 1 ? "call" : "calls"}, <Quantity value={formatValue(cpuNs, "ns")} /> with what it calls</> : "No call of it on the host is known."}</p>
      {sums.length === 0 && <p className={style.host}>{profileType === "cuda" ? "It launched no kernel: it changes shapes or reads memory on the host only." : "The profile has no GPU kernels."}</p>}
      {sums.slice(0, shownMax).map(({ row, count, value }) => {
        const [dims, dtypes, fused] = [text("dims", row), dtypeNames(text("dtypes", row)), text("fused", row)];
        return (
          <ol key={row} className={style.chain}>
            <li>
              <b>op</b> <code>{printable(texts[op]!) || "none"}</code>
              <Detail label="inputs">{printable(dims.replaceAll(/\s+/g, "")) || "not recorded"}</Detail>
              {dtypes.length > 0 && <Detail label="types">{printable(dtypes.join(", "))}</Detail>}
            </li>
            <li>
              <b>launch</b> ×{formatExact(count)}
              <Detail label="grid">{printable(text("grid", row).replaceAll(/\s+/g, "")) || "not recorded"}</Detail>
              <Detail label="block">{printable(text("block", row).replaceAll(/\s+/g, "")) || "not recorded"}</Detail>
            </li>
            <li>
              <b>kernel</b> <code>{printable(text("kernel", row))}</code>
              <Detail label="time">
                <Quantity value={formatValue(value, profileTypes[profileType].unit)} />
                {count > 1 && `, ${formatValue(Math.round(value / count), "ns").text} each`}
              </Detail>
              <Detail label="kind">{printable(text("category", row))}</Detail>
              {fused !== "" && <Detail label="fuses">{printable(fused)}</Detail>}
              <KernelMetrics metrics={kernelMetrics[kernels.metrics[row]!]} />
            </li>
          </ol>
        );
      })}
      {sums.length > shownMax && <p className={style.host}>and {sums.length - shownMax} more ways it was launched; the Kernels view lists all.</p>}
    </div>
  );
}

function Detail({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <span className={style.detail}>
      <i>{label}</i> <span>{children}</span>
    </span>
  );
}
