// A frame's menu: the same actions as the keys, and those that have none.
import { useNavigate } from "@tanstack/react-router";
import { use } from "react";
import { frameKinds, type FrameKindName } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { Menu } from "../../parts/menu.tsx";
import type { DrawnGraph } from "./drawn-graph.ts";
import { FlamegraphOrigin } from "./flamegraph-origin.ts";
import { frameCondition, narrowedFilter } from "./frame-filter.ts";
import { frameFacts } from "./frame-facts.ts";
import type { FrameActions } from "./use-frame-actions.ts";
import { noModuleReason } from "./module-link.tsx";

export type MenuAt = { readonly graph: DrawnGraph; readonly node: number; readonly x: number; readonly y: number };

type FrameMenuProps = {
  readonly graph: DrawnGraph;
  readonly at: MenuAt;
  readonly actions: FrameActions;
  readonly close: () => void;
  readonly compared?: boolean; // of a comparison: stacks cannot be cut out of it
};

export function FrameMenu({ graph, at, actions, close, compared = false }: FrameMenuProps) {
  const { tenant, me } = useSession();
  const navigate = useNavigate();
  const { node } = at;
  const facts = frameFacts(graph, node);
  const condition = frameCondition(graph.frames, graph.nodes.frame[node] as number);
  const narrow = (side: "only" | "without") => condition !== null && actions.setFilter(narrowedFilter(actions.filter, condition, side));
  const real = facts.kind !== "root" && facts.kind !== "other";
  const onlyStored = use(FlamegraphOrigin) === "stored" ? "" : "The file is only open in this browser; stored profiles have this.";
  const noField = onlyStored !== "" ? onlyStored : condition !== null ? "" : "No filter field is about such frames: kernel.name, module.path and model.name are about kernels and layers.";
  const label = real ? frameKinds[facts.kind as FrameKindName].label : "";
  const noModule = compared ? "A comparison knows a layer by its path, whichever model it is of." : noModuleReason(graph, facts, me.flags.models === true);
  const go = (node: number, run: (node: number) => void) => () => run(node);
  return (
    <Menu
      label={`Frame ${facts.shortName}`}
      heading={facts.shortName}
      at={{ left: at.x, top: at.y, bottom: at.y }}
      close={close}
      testId="frame-menu"
      groups={[
        [
          { label: "Focus", keys: "Enter", run: go(node, actions.focus) },
          ...(real && !compared
            ? [
                { label: "What calls it", keys: "s", run: () => actions.around(node, "callers") },
                { label: "What it calls", run: () => actions.around(node, "callees") },
              ]
            : []),
        ],
        real
          ? [
              { label: "Filter: only stacks with it", unless: noField, run: () => narrow("only") },
              { label: "Filter: no stacks with it", unless: noField, run: () => narrow("without") },
              { label: `Hide ${label} frames`, run: go(node, actions.hideKind) },
            ]
          : [],
        real
          ? [
              { label: "Copy the name", keys: "c", run: go(node, actions.copyName) },
              { label: "Copy the stack", keys: "Shift C", run: go(node, actions.copyStack) },
              { label: "Copy a link to it", run: go(node, actions.copyLink) },
            ]
          : [],
        real
          ? [
              ...(compared ? [] : [{ label: "Show in the table", unless: onlyStored, run: go(node, actions.table) }]),
              {
                label: "Open the module in its model",
                unless: noModule,
                run: () =>
                  void navigate({
                    to: "/t/$tenant/models/$model",
                    params: { tenant, model: facts.modelKey },
                    search: ((old: Record<string, unknown>) => ({ ...keepRange(old), path: facts.modulePath === "" ? "." : facts.modulePath })) as never,
                  }),
              },
            ]
          : [],
      ]}
    />
  );
}
