// Eager, compiled or replayed from graphs, with what says so.
import type { RunMode } from "#core/trace/run-mode.ts";
import style from "./execution-page.module.css";

const words: Record<RunMode["label"], string> = { eager: "eager", compiled: "compiled", "graph replay": "CUDA/HIP graphs", "compiled, graph replay": "compiled · CUDA/HIP graphs", "not known": "mode not known" };

export function RunModeBadge({ mode, testId = "run-mode" }: { readonly mode: RunMode; readonly testId?: string }) {
  const why = mode.evidence.map((line) => `${line[0]!.toUpperCase()}${line.slice(1)}.`).join(" ");
  return (
    <span className={style.badge} data-tone="plain" title={why} data-testid={testId} data-mode={mode.label}>
      {words[mode.label]}
      <span className="visually-hidden">. {why}</span>
    </span>
  );
}

export function GraphReplayBadge({ mode }: { readonly mode: RunMode }) {
  if (mode.graphs === null) return null;
  const why = mode.graphs.placed
    ? "Kernels of a replayed graph have no calls on the host. They stand in the modules the engine captured them in, so a module has GPU time and no CPU time, and its calls count replays."
    : "Kernels of a replayed graph have no calls on the host, so nothing says which module they belong to. Import the file with --capture and the trace of the engine's start-up, or record the run eager.";
  return (
    <span className={style.badge} data-tone="warning" title={why} data-testid="graph-replay">
      graph replay: nesting flattened
      <span className="visually-hidden">. {why}</span>
    </span>
  );
}
