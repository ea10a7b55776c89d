// The executions that stand beside each other: which request each was recorded for, how it ran, and the way out of the comparison.
import { X } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import type { MergedRequests } from "#core/trace/merge-requests.ts";
import { runMode } from "#core/trace/run-mode.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import control from "../../parts/control.module.css";
import { formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { RunModeBadge } from "./run-mode-badge.tsx";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./profiler-view.module.css";

export function RequestsStrip({ all, merged }: { readonly all: readonly OpenExecution[]; readonly merged: MergedRequests }) {
  const { tenant } = useSession();
  const [search, change] = useExecutionSearch();
  return (
    <ul className={style.requests} data-testid="requests-strip">
      {all.map(({ execution, record }, at) => {
        const { label, inputTokens, outputTokens, latencyNs, value } = merged.requests[at]!;
        return (
          <li key={execution.id} className={style.request}>
            <b title={printable(execution.name)}>{printable(label)}</b>
            {at > 0 ? (
              <button
                type="button"
                className={`${control.button} ${control.quiet} ${control.icon}`}
                style={{ height: 24, width: 24 }}
                aria-label={`Take ${printable(label)} out`}
                onClick={() => change({ with: search.with?.split(",").filter((id) => id !== execution.id).join(",") || undefined }, true)}
              >
                <X size={13} />
              </button>
            ) : (
              <span />
            )}
            <p>
              <Quantity value={formatValue(value, profileTypes[record.profileType].unit)} />
              {inputTokens > 0 && (
                <span>
                  {inputTokens.toLocaleString("en-US")} → {plural(outputTokens, "token", "tokens")}
                </span>
              )}
              {latencyNs > 0 && <span title="Latency of the real request">latency {formatValue(latencyNs, "ns").text}</span>}
              <RunModeBadge mode={runMode(record)} testId="request-mode" />
            </p>
            <p>
              {at === 0 ? (
                <span>{printable(execution.name)}</span>
              ) : (
                <Link to="/t/$tenant/executions/$execution" params={{ tenant, execution: execution.id }} search={keepRange as never} title={printable(execution.name)}>
                  {printable(execution.name)}
                </Link>
              )}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
