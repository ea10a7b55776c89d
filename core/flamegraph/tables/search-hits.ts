// What a search covers of a whole selection: the same figures as core/flamegraph/search.ts counts in a tree, of which nothing is cut here.
import type { FlamegraphSearch } from "#schema/api/flamegraph-tables.ts";
import { type ProfileTypeName, frameKindNames } from "#schema/frame-kinds.ts";
import { measureOf } from "../measure.ts";
import { weighed } from "./top.ts";

export type SearchedRow = {
  readonly whole: string; // of the selection
  readonly samples: string;
  readonly without_layer: string;
  readonly total: string;
  readonly count: string;
  readonly kind_totals: readonly string[]; // in the order of frameKindNames, like kind_frames
  readonly kind_frames: readonly string[];
};

export function searchHits(row: SearchedRow, profileType: ProfileTypeName): Pick<FlamegraphSearch, "unit" | "samples" | "total" | "withoutLayer" | "hits"> {
  const measure = measureOf(row.whole, profileType);
  const byKind = frameKindNames.map((kind, at) => ({ kind, frames: Number(row.kind_frames[at]), total: measure.of(row.kind_totals[at]!), share: measure.share(row.kind_totals[at]!) }))
    .filter(({ frames }) => frames > 0)
    .sort((a, b) => b.total - a.total);
  return { unit: measure.unit, samples: Number(row.samples), total: measure.total, withoutLayer: measure.of(row.without_layer), hits: { ...weighed(row, measure), frames: byKind.reduce((sum, { frames }) => sum + frames, 0), byKind } };
}
