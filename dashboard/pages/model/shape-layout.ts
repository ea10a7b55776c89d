// A deployment's layout as an answer has it, in the form that core computes with; and its sizes in words.
import type { ShapeLayout } from "#core/shape/part.ts";
import type { ModelLayout } from "#schema/api/models.ts";

export function shapeLayoutOf({ tp, pp, ep, dp, sharded, padded, replicated, aliases }: ModelLayout): ShapeLayout {
  return { tpSize: tp, ppSize: pp, epSize: ep, dpSize: dp, sharded, padded, replicated, aliases };
}

// "TP 4 · PP 2", "one rank".
export function sizesText({ tp, pp, ep, dp }: Pick<ModelLayout, "tp" | "pp" | "ep" | "dp">): string {
  const split = Object.entries({ TP: tp, PP: pp, EP: ep, DP: dp }).filter(([, size]) => size > 1);
  return split.length === 0 ? "one rank" : split.map(([name, size]) => `${name} ${size}`).join(" · ");
}
