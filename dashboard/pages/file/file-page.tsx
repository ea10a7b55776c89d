// A file opened in this browser without sending it anywhere: a trace as a flamegraph, a benchmark's result as a run, a metrics dump as its table.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useSyncExternalStore } from "react";
import { printable } from "#core/printable.ts";
import { openFilePicker } from "../../app/drop-zone.tsx";
import { droppedFile, onDroppedFile } from "../../app/dropped-file.ts";
import { PageHeader } from "../../app/page-header.tsx";
import type { ChangeFile } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { Loading } from "../../parts/states.tsx";
import { FileFacts } from "./file-facts.tsx";
import { NoFile } from "./no-file.tsx";
import { fileState, onFileState, openFile, type FileState } from "./opened-file.ts";
import { ReadingFile } from "./reading-file.tsx";
import style from "./file-page.module.css";

// Each view comes with its own drawing: only the one that the file needs is loaded.
const TraceFile = lazy(async () => ({ default: (await import("./trace-file.tsx")).TraceFile }));
const BenchmarkFile = lazy(async () => ({ default: (await import("./benchmark-file.tsx")).BenchmarkFile }));
const MetricsFile = lazy(async () => ({ default: (await import("./metrics-file.tsx")).MetricsFile }));

export function FilePage() {
  const search = useSearch({ from: "/t/$tenant/file" });
  const navigate = useNavigate({ from: "/t/$tenant/file" });
  const dropped = useSyncExternalStore(onDroppedFile, droppedFile);
  const opened = useSyncExternalStore(onFileState, fileState);
  // The back button may lead to how another file was looked at: that is shown of no file but its own.
  const others = opened.phase !== "none" && search.name !== undefined && search.name !== opened.file.name;
  const state: FileState = others ? { phase: "none" } : opened;
  useEffect(() => {
    if (dropped !== null) openFile(dropped);
  }, [dropped]);
  const change = useCallback<ChangeFile>((next, replace = false) => void navigate({ search: (old) => ({ ...old, ...next }), replace, resetScroll: false }), [navigate]);
  const title = state.phase === "none" ? "Open a file" : printable(state.file.name);
  return (
    <div className={style.page}>
      <PageHeader
        title={title}
        {...(state.phase === "open" && { linkNote: "The file is not in it: whoever opens the link drops the same file there." })}
        before={
          state.phase !== "none" && (
            <button type="button" className={control.button} onClick={openFilePicker} data-testid="open-another">
              Open another …
            </button>
          )
        }
      />
      {state.phase === "none" && <NoFile name={search.name} />}
      {state.phase === "reading" && <ReadingFile state={state} />}
      {state.phase === "refused" && <NoFile name={undefined} refused={state.refused} file={state.file} />}
      {state.phase === "failed" && <NoFile name={undefined} refused={{ reason: state.message, instead: "npx lamella import FILE reads files of any size" }} file={state.file} />}
      {state.phase === "open" && (
        <Suspense fallback={<Loading what="the view" />}>
          <FileFacts state={state} />
          {state.opened.kind === "trace" && <TraceFile search={search} change={change} file={state.file} />}
          {state.opened.kind === "benchmark" && <BenchmarkFile runs={state.opened.runs} search={search} change={change} />}
          {state.opened.kind === "metrics" && <MetricsFile opened={state.opened} search={search} change={change} />}
        </Suspense>
      )}
    </div>
  );
}
