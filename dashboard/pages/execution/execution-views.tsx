// The views of an execution, one at a time; which one is in the URL.
import { Flame } from "lucide-react";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import type { ExecutionSearch } from "../../app/url-state.ts";
import control from "../../parts/control.module.css";
import { Loading } from "../../parts/states.tsx";
import type { OpenExecution } from "./open-execution.ts";
import { SaveRecord } from "./save-record.tsx";
import { useExecutionSearch } from "./use-execution-search.ts";
import style from "./execution-page.module.css";

// Each is loaded when it is opened.
const ProfilerView = lazy(async () => ({ default: (await import("./profiler-view.tsx")).ProfilerView }));
const RequestsView = lazy(async () => ({ default: (await import("./requests-view.tsx")).RequestsView }));
const LayersView = lazy(async () => ({ default: (await import("./layers-view.tsx")).LayersView }));
const ArchitectureView = lazy(async () => ({ default: (await import("./architecture-view.tsx")).ArchitectureView }));
const KernelsView = lazy(async () => ({ default: (await import("./kernels-view.tsx")).KernelsView }));
const StepsView = lazy(async () => ({ default: (await import("./steps-view.tsx")).StepsView }));
const CompareView = lazy(async () => ({ default: (await import("./compare-view.tsx")).CompareView }));

type ViewName = NonNullable<ExecutionSearch["view"]> | "profiler";

const views: readonly (readonly [ViewName, string])[] = [
  ["profiler", "Profiler"],
  ["layers", "Layers"],
  ["architecture", "Architecture"],
  ["kernels", "Kernels"],
  ["steps", "Steps"],
  ["compare", "Compare"],
];

export function ExecutionViews({ open, beside }: { readonly open: OpenExecution; readonly beside: readonly OpenExecution[] }) {
  const { tenant } = useSession();
  const [search] = useExecutionSearch();
  const view: ViewName = search.view ?? "profiler";
  return (
    <>
      <nav className={style.tabs} aria-label="Views of the execution">
        {views.map(([name, label]) => (
          <Tab key={name} name={name} label={name === "kernels" && open.record.kernels.kernel.length === 0 ? "Operators" : label} current={view === name} />
        ))}
        <span className={style.gap} />
        <Link
          to="/t/$tenant/flamegraph"
          params={{ tenant }}
          search={((old: Record<string, unknown>) => ({ ...keepRange(old), execution: open.execution.id })) as never}
          className={`${control.button} ${control.primary}`}
          data-testid="to-flamegraph"
        >
          <Flame size={14} />
          Flamegraph
        </Link>
        <SaveRecord execution={open.execution} record={open.record} />
      </nav>
      <Suspense fallback={<Loading what="the view" rows={12} />}>
        {view === "profiler" && (beside.length === 0 ? <ProfilerView open={open} /> : <RequestsView open={open} beside={beside} />)}
        {view === "layers" && <LayersView open={open} />}
        {view === "architecture" && <ArchitectureView open={open} />}
        {view === "kernels" && <KernelsView open={open} />}
        {view === "steps" && <StepsView open={open} />}
        {view === "compare" && <CompareView open={open} beside={beside} />}
      </Suspense>
    </>
  );
}

// What is selected stays selected from view to view; what only one view knows does not.
function Tab({ name, label, current }: { readonly name: ViewName; readonly label: string; readonly current: boolean }) {
  const { tenant } = useSession();
  const { execution } = useParams({ from: "/t/$tenant/executions/$execution" });
  return (
    <Link
      to="/t/$tenant/executions/$execution"
      params={{ tenant, execution }}
      className={style.tab}
      search={((old: Record<string, unknown>) => ({ ...old, view: name === "profiler" ? undefined : name, sort: undefined, by: undefined, kernel: undefined })) as never}
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{}}
      aria-current={current ? "page" : undefined}
      data-testid={`view-${name}`}
    >
      {label}
    </Link>
  );
}
