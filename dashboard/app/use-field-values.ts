// The values of a filter field in the page's time range, with their sample counts, for the filter bar's completions.
import { useCallback } from "react";
import type { FieldValues } from "#schema/api/tenant.ts";
import type { LoadValues } from "../parts/use-completions.ts";
import { fetchApi } from "./fetch-api.ts";
import { useSession } from "./session.tsx";
import { useTimeRange } from "./time-range-picker.tsx";

export function useFieldValues(): LoadValues {
  const { tenant } = useSession();
  const { from, to } = useTimeRange();
  return useCallback<LoadValues>(
    async (field, prefix, signal) => (await fetchApi<FieldValues>(tenant, "/field-values", { signal, query: { from, to, field, prefix } })).values,
    [tenant, from, to],
  );
}
