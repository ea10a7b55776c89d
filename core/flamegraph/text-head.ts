// The lines above a printed flamegraph: what it measures, how much, from where, and everything that limits what the tree below can show.
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { printable } from "#core/printable.ts";
import { plural, quantityText, shareText } from "../quantity.ts";
import type { Search, SearchHits } from "./search.ts";

export function headLines(graph: Flamegraph): string[] {
  const { label } = profileTypes[graph.profileType];
  const amount = (value: number) => `${quantityText(value, graph.unit)} (${shareText(graph.total > 0 ? value / graph.total : 0)})`;
  const count = graph.nodes.count[0] ?? 0;
  const calls = graph.profileType === "cuda" || graph.profileType === "cuda_launch" ? plural(count, "launch", "launches") : plural(count, "call", "calls");
  const lines = [
    `${label}: ${quantityText(graph.total, graph.unit)} in ${calls}, ${plural(graph.samples, "sample", "samples")}`,
    ...(graph.total < graph.whole ? [`Of the selection: ${shareText(graph.total / graph.whole)} of ${quantityText(graph.whole, graph.unit)}; the rest lies outside what is asked for`] : []),
    withoutLayerLine(graph),
    sourceLine(graph),
  ];
  if (graph.samples === 0) lines.push(noSamples);
  if (graph.simulated) lines.push("Simulated data: no real device was measured.");
  const { nodes, total } = graph.truncated;
  if (nodes > 0) lines.push(`Cut: ${plural(nodes, "small node", "small nodes")}, ${amount(total)}, in "(other)"; ask for more with --max-nodes`);
  return lines;
}

const pathSources = {
  none: "no module paths", recorded: "module paths recorded", aligned: "module paths aligned to a shape", inferred: "module paths inferred: Class[n]",
};
const reasons = { selected: "", latest: " (the latest)", no_live_samples: " (the latest; the range has no live samples)" };

// Behind an execution's id, why this one.
export function executionReasonText(reason: Flamegraph["executionReason"]): string {
  return reasons[reason ?? "selected"];
}

// Of the lines above a table beside a flamegraph.
export type Shown = Pick<Flamegraph, "profileType" | "unit" | "total" | "samples" | "withoutLayer" | "execution" | "executionReason" | "range" | "ingestedThrough">;

export function tableHeadLines(shown: Shown): string[] {
  const { profileType, unit, total, samples } = shown;
  const lines = [`${profileTypes[profileType].label}: ${quantityText(total, unit)} in ${plural(samples, "sample", "samples")}`, withoutLayerLine(shown), sourceLine(shown)];
  return samples === 0 ? [...lines, noSamples] : lines;
}

const noSamples = "No samples are stored for this selection.";

function withoutLayerLine({ withoutLayer, unit, total }: Pick<Shown, "withoutLayer" | "unit" | "total">): string {
  return `Without a model layer: ${quantityText(withoutLayer, unit)} (${shareText(total > 0 ? withoutLayer / total : 0)})`;
}

function sourceLine({ execution, executionReason, range, ingestedThrough }: Pick<Shown, "execution" | "executionReason" | "range" | "ingestedThrough">): string {
  const through = ingestedThrough ? `complete through ${ingestedThrough}` : "nothing was ever ingested";
  if (!execution) return `Live samples from ${range.from} to ${range.to}; ${through}`;
  const { id, name, device, recordedAt, importedAt, pathSource } = execution;
  const times = `${recordedAt ? `recorded ${recordedAt}, ` : ""}imported ${importedAt}`;
  return `Execution ${id.slice(0, 12)}${executionReasonText(executionReason)}: ${printable(name)} on ${printable(device)}, ${times}; ${pathSources[pathSource]}`;
}

export function searchLine({ unit }: Flamegraph, { nodes, total, share, byKind }: SearchHits, search: Search): string {
  const text = `Search ${printable(search.text)}`;
  if (nodes === 0) return `${text}: nothing matches`;
  const kinds = byKind.length > 1 ? ` (${byKind.map((one) => `${one.kind} ${shareText(one.share)}`).join(", ")})` : "";
  const union = `${plural(nodes, "frame", "frames")}, ${quantityText(total, unit)}, ${shareText(share)} of the total, nested matches counted once${kinds}`;
  return `${text}: ${union}; only the paths to a match are shown`;
}
