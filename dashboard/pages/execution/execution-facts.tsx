// The strip of figures above an execution's views: what ran, on what, how long, and how.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import { runMode } from "#core/trace/run-mode.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { Moment } from "../../parts/moment.tsx";
import { formatCount, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { GraphReplayBadge, RunModeBadge } from "./run-mode-badge.tsx";
import style from "./execution-page.module.css";

export function ExecutionFacts({ execution, record }: { readonly execution: ExecutionSummary; readonly record: ExecutionRecord }) {
  const { tenant, me } = useSession();
  const { profileType, totals, durationNs, devices, steps, modules, request, rank, worldSize, pathSource } = record;
  const { unit, label } = profileTypes[profileType];
  const onGpu = profileType === "cuda";
  const mode = runMode(record);
  const share = totals.value === 0 ? null : totals.moduleValue / totals.value;
  return (
    <div className={style.facts} data-testid="execution-facts" data-value={totals.value} data-kernels={totals.kernels}>
      <dl>
        {record.modelName !== "" && (
          <Fact label="Model">
            {record.modelKey !== "" && me.flags.models === true ? (
              <Link to="/t/$tenant/models/$model" params={{ tenant, model: record.modelKey }} search={keepRange as never}>
                {printable(record.modelName)}
              </Link>
            ) : (
              printable(record.modelName)
            )}
          </Fact>
        )}
        <Fact label="Device">
          {printable(record.device) || "unnamed"}
          {rank >= 0 && worldSize > 1 && <small> · rank {rank} of {worldSize}</small>}
        </Fact>
        <Fact label={label}>
          <Quantity value={formatValue(totals.value, unit)} />
        </Fact>
        {onGpu && (
          <Fact label="Kernels">
            <Quantity value={formatCount(totals.kernels)} />
          </Fact>
        )}
        <Fact label="Recording">{durationNs === 0 ? "—" : <Quantity value={formatValue(durationNs, "ns")} />}</Fact>
        {totals.busyNs > 0 && (
          <Fact label="GPU busy" title="Time in which at least one kernel ran, per GPU, added up over GPUs">
            {durationNs > 0 && devices.length < 2 ? formatShare(totals.busyNs / durationNs) : <Quantity value={formatValue(totals.busyNs, "ns")} />}
            {devices.length > 1 && <small> on {devices.length} GPUs</small>}
          </Fact>
        )}
        <Fact label="In modules" title={`Share of the ${label} inside at least one module`}>
          {modules.parent.length === 0 || share === null ? "—" : formatShare(share)}
        </Fact>
        {steps.length > 0 && <Fact label="Steps">{steps.length}</Fact>}
        {request !== null && (
          <Fact label={`${printable(request.label)} request`} title={`The real one took ${formatValue(request.latencyNs, "ns").text}`}>
            {request.inputTokens.toLocaleString("en-US")} → {plural(request.outputTokens, "token", "tokens")}
          </Fact>
        )}
        <Fact label="Recorded">{execution.recordedAt === null ? <span title="The file has no absolute time">—</span> : <Moment iso={execution.recordedAt} />}</Fact>
        <Fact label="Imported">
          <Moment iso={execution.importedAt} />
        </Fact>
        <div>
          <dt>Mode</dt>
          <dd className={style.badges}>
            <RunModeBadge mode={mode} />
            <GraphReplayBadge mode={mode} />
            {pathSource === "inferred" && (
              <span className={style.badge} title="The file carries no module paths: modules are named Class[n] in order of first call under their parent. They compare inside this file only.">
                paths inferred
              </span>
            )}
          </dd>
        </div>
      </dl>
    </div>
  );
}

function Fact({ label, title, children }: { readonly label: string; readonly title?: string; readonly children: ReactNode }) {
  return (
    <div title={title}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
