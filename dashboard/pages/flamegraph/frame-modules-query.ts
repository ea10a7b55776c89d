// From a frame to its modules, from a module to its copies.
import { queryOptions } from "@tanstack/react-query";
import type { FrameModules, ModuleFrames } from "#schema/api/flamegraph-tables.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import type { TimeRange } from "../../parts/time-range.ts";

// The modules that a frame lies in, wherever it occurs.
export function frameModulesQuery(tenant: string, range: TimeRange, { filter, type, execution }: FlamegraphSearch, frame: string) {
  const query = { ...range, filter, type, execution, frame, limit: 20 };
  return queryOptions({
    queryKey: ["frame-modules", tenant, query],
    queryFn: ({ signal }) => fetchApi<FrameModules>(tenant, "/flamegraph/modules", { signal, query }),
  });
}

// A module beside its copies in the other blocks.
export function copiesQuery(tenant: string, range: TimeRange, { filter, type, execution }: FlamegraphSearch, pattern: string) {
  const query = { ...range, filter, type, execution, module_path: pattern, limit: 20 };
  return queryOptions({
    queryKey: ["module-copies", tenant, query],
    queryFn: ({ signal }) => fetchApi<ModuleFrames>(tenant, "/flamegraph/frames", { signal, query }),
  });
}
