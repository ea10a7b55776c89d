// A whole model as it is stored: structure, layout, and the parts it was made of. From one upload, or from the stages of a pipeline.
import type { ShapeBody } from "#schema/api/models.ts";
import { err, ok, type Result } from "../result.ts";
import { mergeLayouts } from "./layout.ts";
import { mergeParts, type MergeProblem } from "./merge.ts";
import type { ShapeLayout, ShapePart } from "./part.ts";

export interface WholeModel {
  body: ShapeBody;
  layout: ShapeLayout;
  parts: string[]; // part_hash of each stage, by rank: a sighting names the one its process ran
}

export type Stage = Pick<ShapePart, "ppRank" | "ppSize" | "partHash" | "body" | "layout">;

// Stages of one deployment, the newest of each rank.
export function wholeModel(stages: readonly Stage[]): Result<WholeModel, MergeProblem> {
  const ordered = [...stages].sort((a, b) => a.ppRank - b.ppRank);
  const merged = ordered.length === 1 && ordered[0]!.ppSize === 1 ? ok(ordered[0]!.body) : mergeParts(ordered);
  if (!merged.ok) return merged;
  const layout = mergeLayouts(ordered);
  if (!layout.ok) return err({ kind: "limit_exceeded", detail: layout.error.detail });
  return ok({ body: merged.value, layout: layout.value, parts: ordered.map(({ partHash }) => partHash) });
}

// What stages of one model key must have in common to be of one deployment: the run that their processes say. A stage of another run is of another model as soon as the
// model changed between the two. Without a run only the parallel sizes tell deployments apart: TP 4 × PP 2 and TP 16 × PP 2 of one model have one key.
export function deploymentOf({ runId, ppSize, layout }: Pick<ShapePart, "runId" | "ppSize" | "layout">): string {
  return runId ?? sizesOf({ ...layout, ppSize });
}

export function sizesOf({ tpSize, ppSize, epSize, dpSize }: ShapeLayout): string {
  return [tpSize, ppSize, epSize, dpSize].join(".");
}
