// What can be done with a frame: to the clipboard, to the URL. One set for the keys, the menu and the details.
import { useMemo } from "react";
import { searchFor } from "#core/flamegraph/search.ts";
import type { FrameKindName } from "#schema/frame-kinds.ts";
import { useToast } from "../../app/toasts.tsx";
import type { ChangeSearch, FlamegraphSearch } from "../../app/url-state.ts";
import { viewLink } from "../../app/view-link.ts";
import type { DrawnGraph } from "./drawn-graph.ts";
import { stackText } from "./frame-stack.ts";
import { toggleKind } from "./hidden-kinds.ts";
import { pathKeysOf, printPathKey } from "./path-key.ts";

export type FrameActions = ReturnType<typeof useFrameActions>;

// Nodes are those of the drawing.
export function useFrameActions(graph: DrawnGraph, search: FlamegraphSearch, change: ChangeSearch) {
  const toast = useToast();
  return useMemo(() => {
    const { nodes, frames } = graph;
    const frameOf = (node: number) => nodes.frame[node] as number;
    const nameOf = (node: number) => frames.name[frameOf(node)] as string;
    const idOf = (node: number) => frames.id[frameOf(node)] as string;
    const copy = (text: string, what: string) =>
      void navigator.clipboard.writeText(text).then(
        () => toast({ text: `Copied ${what}` }),
        () => toast({ text: "The browser did not allow copying", tone: "danger" }),
      );
    const key = (node: number) => (node === 0 ? undefined : printPathKey(pathKeysOf(graph.answer), graph.baseOf(node)));
    return {
      idOf,
      focus: (node: number, replace = false) => change({ focus: key(node) }, replace),
      around: (node: number, side: "callers" | "callees") => change({ frame: idOf(node), side, focus: undefined, view: undefined }),
      filter: search.filter ?? "",
      setFilter: (filter: string) => change({ filter }),
      hideKind: (node: number) => change(toggleKind(search, frames.kind[frameOf(node)] as FrameKindName)),
      copyName: (node: number) => copy(nameOf(node), "the frame's name"),
      copyStack: (node: number) => copy(stackText(graph, node), "the stack"),
      // Its time range is fixed to what it is now.
      copyLink: (node: number) => copy(viewLink(location.href, true, Math.floor(Date.now() / 1_000), { focus: key(node) }).url, "a link to the frame"),
      table: (node: number) => {
        const kind = frames.kind[frameOf(node)];
        change({ view: "table", by: kind === "gpu_kernel" ? "kernel" : kind === "layer" ? "module" : "function", search: searchFor(nameOf(node)) });
      },
    };
  }, [graph, search, change, toast]);
}
