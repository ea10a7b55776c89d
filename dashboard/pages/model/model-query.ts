// One model, and the shape it has. A stored shape never changes, so it is asked for once.
import { queryOptions } from "@tanstack/react-query";
import type { ModelDetail, ShapeDetail } from "#schema/api/models.ts";
import { fetchApi } from "../../app/fetch-api.ts";
import type { TimeRange } from "../../parts/time-range.ts";

export function modelQuery(tenant: string, range: TimeRange, model: string) {
  return queryOptions({
    queryKey: ["model", tenant, range, model],
    queryFn: ({ signal }) => fetchApi<ModelDetail>(tenant, `/models/${model}`, { signal, query: range }),
  });
}

export function shapeQuery(tenant: string, shapeId: string | null) {
  return queryOptions({
    queryKey: ["shape", tenant, shapeId],
    queryFn: ({ signal }) => fetchApi<ShapeDetail>(tenant, `/shapes/${shapeId}`, { signal }),
    enabled: shapeId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
