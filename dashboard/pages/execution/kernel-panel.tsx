// One kernel: operator → launch → kernel, and the modules it ran in, equal ones of all layers together.
import { X } from "lucide-react";
import { useMemo } from "react";
import { printable } from "#core/printable.ts";
import { dtypeNames, type KernelSum } from "#core/trace/kernel-sums.ts";
import { moduleStatistics } from "#core/trace/module-statistics.ts";
import { pathNames } from "#core/trace/path-names.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import control from "../../parts/control.module.css";
import { formatExact, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { KernelMetrics } from "./kernel-metrics.tsx";
import { Fact, FramesLink } from "./module-panel.tsx";
import { ShareBar } from "./share-bar.tsx";
import style from "./kernels-view.module.css";
import panel from "./module-panel.module.css";

const shownMax = 30;

export function KernelPanel({ executionId, record, sum, close }: { readonly executionId: string; readonly record: ExecutionRecord; readonly sum: KernelSum; readonly close: () => void }) {
  const { kernels, texts, profileType, kernelMetrics } = record;
  const { unit } = profileTypes[profileType];
  const nameOf = useMemo(() => pathNames(record, moduleStatistics(record)), [record]);
  const text = (column: "op" | "kernel" | "category" | "grid" | "block" | "dims" | "dtypes" | "fused") => printable(texts[kernels[column][sum.row]!]!);
  const places = new Map<string, number>();
  for (const [module, value] of sum.byModule) places.set(nameOf(module), (places.get(nameOf(module)) ?? 0) + value);
  const modules = [...places].sort((a, b) => b[1] - a[1]);
  return (
    <aside className={panel.panel} aria-label="Kernel details" data-testid="kernel-panel">
      <header>
        <h2 className={style.kernelName}>{text("kernel")}</h2>
        <button type="button" className={`${control.button} ${control.quiet} ${control.icon}`} aria-label="Close the details" onClick={close}>
          <X size={14} />
        </button>
      </header>
      <FramesLink executionId={executionId} names={[texts[kernels.kernel[sum.row]!]!]} />
      <dl className={panel.facts}>
        <Fact label="Operator">{text("op") || "none"}</Fact>
        <Fact label="Inputs">{text("dims") || "not recorded"}</Fact>
        <Fact label="Types">{dtypeNames(texts[kernels.dtypes[sum.row]!]!).join(", ") || "not recorded"}</Fact>
        <Fact label="Launches">×{formatExact(sum.count)}</Fact>
        <Fact label="Grid">{text("grid") || "not recorded"}</Fact>
        <Fact label="Block">{text("block") || "not recorded"}</Fact>
        <Fact label="Time">
          <Quantity value={formatValue(sum.value, unit)} />, {formatValue(Math.round(sum.value / sum.count), "ns").text} each
        </Fact>
        <Fact label="Kind">{text("category")}</Fact>
        {text("fused") !== "" && <Fact label="Fuses">{text("fused")}</Fact>}
      </dl>
      <KernelMetrics metrics={kernelMetrics[kernels.metrics[sum.row]!]} />
      <section>
        <h3>Where it ran</h3>
        <ul className={style.places}>
          {modules.slice(0, shownMax).map(([name, value]) => (
            <li key={name}>
              <code title={printable(name)}>{printable(name)}</code>
              <span>
                <Quantity value={formatValue(value, unit)} />
              </span>
              <ShareBar share={sum.value === 0 ? 0 : value / sum.value} />
            </li>
          ))}
        </ul>
        {modules.length > shownMax && <p className={panel.note}>and {modules.length - shownMax} more</p>}
      </section>
    </aside>
  );
}
