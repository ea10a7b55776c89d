// What the URL of an execution's page says, and how a view changes it. Moves within a view leave no steps in the browser's history.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { ExecutionSearch } from "../../app/url-state.ts";

export type ChangeExecution = (change: Partial<ExecutionSearch>, step?: boolean) => void; // step: one that Back returns from

export function useExecutionSearch(): readonly [ExecutionSearch, ChangeExecution] {
  const search = useSearch({ from: "/t/$tenant/executions/$execution" });
  const navigate = useNavigate({ from: "/t/$tenant/executions/$execution" });
  const change = useCallback<ChangeExecution>((next, step = false) => void navigate({ search: (old) => ({ ...old, ...next }), replace: !step }), [navigate]);
  return [search, change];
}
