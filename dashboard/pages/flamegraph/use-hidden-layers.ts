// The drawing without Model Layer frames, made while nothing else is to do: of 200,000 frames it takes some 80 ms the first time, which is then not in the way of the
// click that wants it. Where the browser knows no idle time, the click makes it.
import { useEffect } from "react";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { computedAnswer, type ComputedSearch } from "./computed-answer.ts";

const withinMs = 2_000;

export function useHiddenLayers(graph: Flamegraph | undefined, { layers, hide, frame }: ComputedSearch): void {
  useEffect(() => {
    if (graph === undefined || layers === "hide" || !("requestIdleCallback" in globalThis)) return;
    const idle = requestIdleCallback(() => computedAnswer(graph, { layers, hide, frame }, { layers: "hide", hide, frame }), { timeout: withinMs });
    return () => cancelIdleCallback(idle);
  }, [graph, layers, hide, frame]);
}
