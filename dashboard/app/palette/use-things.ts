// Models, executions and workloads of the tenant as choices of the palette. Asked for when it opens; the newest of each.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Boxes, FileClock, Gauge } from "lucide-react";
import { useMemo } from "react";
import { printable } from "#core/printable.ts";
import type { ExecutionsList } from "#schema/api/executions.ts";
import type { ModelsList } from "#schema/api/models.ts";
import type { WorkloadSummary } from "#schema/api/workloads.ts";
import { fetchApi } from "../fetch-api.ts";
import { keepRange } from "../keep-range.ts";
import { useSession } from "../session.tsx";
import { useTimeRange } from "../time-range-picker.tsx";
import type { Choice } from "./choice.ts";

export type Things = {
  readonly choices: readonly Choice[];
  readonly loading: boolean;
  readonly failed: readonly string[]; // what could not be loaded
  readonly more: readonly string[]; // what has more than is listed here
};

export function useThings(): Things {
  const { tenant, me } = useSession();
  const range = useTimeRange();
  const navigate = useNavigate();
  const models = useQuery({
    queryKey: ["palette-models", tenant, range],
    queryFn: ({ signal }) => fetchApi<ModelsList>(tenant, "/models", { signal, query: { ...range, limit: 500 } }),
    enabled: me.flags.models === true,
  });
  const executions = useQuery({ queryKey: ["executions", tenant], queryFn: ({ signal }) => fetchApi<ExecutionsList>(tenant, "/executions", { signal }) });
  const workloads = useQuery({ queryKey: ["palette-workloads", tenant], queryFn: ({ signal }) => fetchApi<{ readonly workloads: readonly WorkloadSummary[]; readonly next: string | null }>(tenant, "/workloads", { signal }) });
  return useMemo(() => {
    const parts = [["models", models], ["executions", executions], ["workloads", workloads]] as const;
    const choices: Choice[] = [
      ...(models.data?.models ?? []).map((model): Choice => ({
        id: `model ${model.id}`, kind: "Model", text: printable(model.name), beside: printable(model.architecture), icon: Boxes,
        run: () => void navigate({ to: "/t/$tenant/models/$model", params: { tenant, model: model.id }, search: keepRange as never }),
      })),
      ...(executions.data?.executions ?? []).filter(({ complete }) => complete).map((execution): Choice => ({
        id: `execution ${execution.id}`, kind: "Execution", text: printable(execution.name), beside: printable(execution.device), icon: FileClock,
        run: () => void navigate({ to: "/t/$tenant/executions/$execution", params: { tenant, execution: execution.id }, search: keepRange as never }),
      })),
      ...(workloads.data?.workloads ?? []).filter(({ complete }) => complete).map((workload): Choice => ({
        id: `workload ${workload.id}`, kind: "Workload", text: printable(workload.name), beside: printable([workload.label, workload.modelName].filter((word) => word !== "").join(" · ")), icon: Gauge,
        run: () => void navigate({ to: "/t/$tenant/workloads/$workload", params: { tenant, workload: workload.id }, search: keepRange as never }),
      })),
    ];
    return {
      choices,
      loading: parts.some(([, { isFetching, data }]) => isFetching && data === undefined),
      failed: parts.filter(([, { isError }]) => isError).map(([name]) => name),
      more: parts.filter(([, { data }]) => data?.next != null).map(([name]) => name),
    };
  }, [models, executions, workloads, navigate, tenant]);
}
