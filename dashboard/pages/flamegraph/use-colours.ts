// The fills of a drawing: by kind at once, by anything else as soon as that is loaded.
import { useEffect, useMemo, useState } from "react";
import type { ColourMode, coloursByMode } from "./colour-modes.ts";
import type { DrawnGraph } from "./drawn-graph.ts";
import { coloursByKind, type NodeColours } from "./node-colours.ts";

export function useColours(graph: DrawnGraph, mode: ColourMode | undefined): NodeColours {
  const [byMode, setByMode] = useState<{ readonly colours: typeof coloursByMode } | null>(null);
  useEffect(() => {
    if (mode !== undefined) void import("./colour-modes.ts").then((loaded) => setByMode({ colours: loaded.coloursByMode }));
  }, [mode]);
  return useMemo(() => (mode === undefined || byMode === null ? coloursByKind(graph) : byMode.colours(graph, mode)), [graph, mode, byMode]);
}
