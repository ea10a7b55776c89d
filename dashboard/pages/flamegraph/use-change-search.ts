// Changes the flamegraph's URL, and with it what is shown.
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import type { ChangeSearch } from "../../app/url-state.ts";

export function useChangeSearch(): ChangeSearch {
  const navigate = useNavigate({ from: "/t/$tenant/flamegraph" });
  return useCallback<ChangeSearch>(
    (next, replace = false) => {
      void navigate({ search: (old) => ({ ...old, ...next }), replace });
    },
    [navigate],
  );
}
