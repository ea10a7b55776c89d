// One line that says what is drawn: the value and its unit in words, where it comes from, and what is missing from it. Nothing is left out in silence.
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { replayedTotal } from "#core/flamegraph/graph-replay.ts";
import { plural } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { formatExactMoment, formatClock } from "../../parts/moment-format.ts";
import { useNow } from "../../parts/moment.tsx";
import { formatExact, formatShare, formatValue } from "../../parts/number-format.ts";
import style from "./flamegraph-summary.module.css";

export function FlamegraphSummary({ graph, layersShown }: { readonly graph: Flamegraph; readonly layersShown: boolean }) {
  const total = formatValue(graph.total, graph.unit);
  const without = formatValue(graph.withoutLayer, graph.unit);
  const whole = formatValue(graph.whole, graph.unit);
  const { tenant } = useSession();
  const { execution } = graph;
  const type = profileTypes[graph.profileType].label;
  const replayed = useMemo(() => replayedTotal(graph), [graph]);
  const count = graph.nodes.count[0] ?? 0;
  return (
    <div
      className={style.summary}
      data-testid="flamegraph-summary"
      data-total={graph.total}
      data-unit={graph.unit}
      data-count={count}
      data-profile-type={graph.profileType}
      data-without-layer={graph.withoutLayer}
    >
      <span title={total.exact} className={style.total}>
        {total.text}
      </span>{" "}
      <span>{type}</span>
      {graph.total < graph.whole && (
        <span className={style.muted} title={`${whole.exact} in the whole selection`} data-testid="of-whole">
          {formatShare(graph.total / graph.whole)} of {whole.text}
        </span>
      )}
      {graph.simulated && (
        <Badge tone="warning" title="These samples were made by a program, not measured.">
          simulated
        </Badge>
      )}
      <span className={style.muted} title={`In ${plural(graph.samples, "stored sample", "stored samples")}`} data-testid="flamegraph-count">
        {countText(graph, count)}
      </span>
      {execution !== null && (
        <span className={style.muted} data-testid="flamegraph-execution">
          {execution.id === "" ? (
            <b>{printable(execution.name)}</b> // of a file that is only open
          ) : (
            <Link to="/t/$tenant/executions/$execution" params={{ tenant, execution: execution.id }} search={keepRange as never} title="What every module of it took" data-testid="to-execution">
              {printable(execution.name)}
            </Link>
          )}{" "}
          · recorded on {execution.device === "" ? "an unnamed device" : printable(execution.device)}
          {execution.recordedAt !== null && <Recorded at={Date.parse(execution.recordedAt)} />}
        </span>
      )}
      {layersShown && graph.total > 0 && (
        <span
          className={style.muted}
          data-testid="without-layer"
          title={`${without.text} (${without.exact}) lies in stacks that run inside no module.`}
        >
          {formatShare(graph.withoutLayer / graph.total)} without a layer
        </span>
      )}
      {replayed > 0 && (
        <Badge testId="graph-replay" title="Kernels of a replayed CUDA or HIP graph are launched from another stack than the one that captured them. Their module frames stand directly above each kernel where the capture is known; the nesting of the live stack is not there.">
          graph replay, {formatShare(replayed / graph.total)}: nesting flattened
        </Badge>
      )}
      {execution !== null && <PathSource source={execution.pathSource} />}
      {graph.truncated.nodes > 0 && (
        <Badge
          tone="warning"
          testId="truncated"
          title="The smallest frames were cut to keep the answer small; each caller shows them as (other), so totals are exact. Focus, filter or hide a kind to see more."
        >
          {formatExact(graph.truncated.nodes)} small frames in (other), {formatShare(graph.truncated.total / graph.total)}
        </Badge>
      )}
    </div>
  );
}

// What the value is made of: kernels on a GPU, calls elsewhere, and for CPU time the samples themselves.
function countText({ profileType, samples }: Flamegraph, count: number): string {
  if (profileType === "cuda" || profileType === "cuda_launch") return plural(count, "launch", "launches");
  return count > 0 ? plural(count, "call", "calls") : plural(samples, "sample", "samples");
}

// Why an execution is shown although none was chosen.
export function ExecutionNotice({ graph }: { readonly graph: Flamegraph }) {
  if (graph.executionReason !== "no_live_samples" || graph.execution === null) return null;
  return (
    <p className={style.notice} role="note" data-testid="execution-notice">
      No live samples in this time range. This is the latest execution, <b>{printable(graph.execution.name)}</b>; <code>npx lamella import trace.json.gz</code> adds yours.
    </p>
  );
}

function Recorded({ at }: { readonly at: number }) {
  return (
    <>
      {" "}
      ·{" "}
      <time dateTime={new Date(at).toISOString()} title={formatExactMoment(at)}>
        {formatClock(at, useNow())}
      </time>
    </>
  );
}

function PathSource({ source }: { readonly source: "none" | "recorded" | "aligned" | "inferred" }) {
  if (source === "recorded") return null;
  const words = {
    none: ["no module paths", "The trace names no modules, so it has no Model Layer frames."],
    aligned: ["paths aligned", "Module paths were found by aligning the trace with a stored shape: parent, class and order matched in one way only."],
    inferred: [
      "paths inferred",
      "The trace carries no module paths. Layers are numbered Class[n] in order under their parent: comparable inside this trace, not linked to the model's page.",
    ],
  }[source] as [string, string];
  return (
    <Badge title={words[1]} testId="path-source">
      {words[0]}
    </Badge>
  );
}

function Badge({
  children,
  title,
  tone = "plain",
  testId,
}: {
  readonly children: ReactNode;
  readonly title: string;
  readonly tone?: "plain" | "warning";
  readonly testId?: string;
}) {
  return (
    <span className={style.badge} data-tone={tone} title={title} data-testid={testId}>
      {children}
      <span className="visually-hidden">. {title}</span>
    </span>
  );
}
