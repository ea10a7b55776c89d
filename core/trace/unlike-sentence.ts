// A copy that is not like the others, in one sentence: "layers.41 self_attn took 2.31 ms, 2.3 σ over its siblings (1.93 × their median)".
import type { LayerSpread } from "./layer-spread.ts";

// `what`: what the copy is of, "" of the copy as a whole. `time`: of the copy, as people read it.
export function unlikeSentence(layer: string, what: string, time: string, { sigma, median }: LayerSpread, values: readonly number[], at: number): string {
  const [distance, ratio] = [sigma[at]!, median === 0 ? null : values[at]! / median];
  const times = ratio === null ? "" : ` (${ratio.toFixed(ratio < 10 ? 2 : 0)} × their median)`;
  return `${layer}${what === "" ? "" : ` ${what}`} took ${time}, ${Math.abs(distance).toFixed(1)} σ ${distance < 0 ? "under" : "over"} its siblings${times}`;
}
