// The structure of one model: as a graph or as a list, with search, roles, aliases, the samples' time, and the details of the selected module beside it.
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { attributeName } from "#core/module-path.ts";
import { joinPath } from "#core/shape/locate.ts";
import { moduleRoles, roleOfClass, type ModuleRole } from "#core/shape/role.ts";
import { searchForModule } from "#core/shape/frame-name.ts";
import { searchFor } from "#core/flamegraph/search.ts";
import { printable } from "#core/printable.ts";
import type { ModelLayout, ModelRow, ShapeBody } from "#schema/api/models.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { keepRange } from "../../app/keep-range.ts";
import { useSession } from "../../app/session.tsx";
import { useToast } from "../../app/toasts.tsx";
import { isTyping } from "../../parts/is-typing.ts";
import { Loading } from "../../parts/states.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { ModuleGraph } from "./graph/module-graph.tsx";
import type { ModuleNode } from "./module-nodes.ts";
import { StructureBar } from "./structure-bar.tsx";
import { foldBelow, parentPath, toggle, treeAtFirst, unfold, type TreeState } from "./tree-state.ts";
import { useStructure } from "./use-structure.ts";
import style from "./model-structure.module.css";

const CopiesDialog = lazy(async () => ({ default: (await import("./copies-dialog.tsx")).CopiesDialog }));
const ModuleDetails = lazy(async () => ({ default: (await import("./module-details.tsx")).ModuleDetails }));
const ModuleTree = lazy(async () => ({ default: (await import("./module-tree.tsx")).ModuleTree }));

type Props = { readonly shape: ShapeBody; readonly model: ModelRow; readonly modelId: string; readonly layouts: readonly ModelLayout[] };

export function ModelStructure({ shape, model, modelId, layouts }: Props) {
  const structure = useStructure(shape, model, layouts);
  const { search, change, facts, nodes, state, path, selected, times, select, setState } = structure;
  const { tenant } = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const [hovered, setHovered] = useState<ModuleRole | null>(null);
  const [menu, setMenu] = useState<{ readonly node: ModuleNode; readonly at: { readonly x: number; readonly y: number } } | null>(null);
  const [unfolding, setUnfolding] = useState<ModuleNode | null>(null);
  const searchInput = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const kept = moduleRoles.find((role) => role === search.role) ?? null;
  const timeLabel = structure.top.data === undefined ? "Time" : profileTypes[structure.top.data.profileType].label;

  const copy = (text: string, what: string) =>
    void navigator.clipboard.writeText(text).then(
      () => toast({ text: `Copied the ${what}` }),
      () => toast({ text: "The browser did not allow copying", tone: "danger" }),
    );
  const focusTree = () => place.current?.querySelector<HTMLElement>("[role=tree], [role=treegrid]")?.focus();
  // Escape peels one layer: the spotlight, then the selection.
  const peel = () => {
    if (kept !== null) change({ role: undefined });
    else if (path !== undefined) select(undefined);
    else return false;
    return true;
  };
  const keyPressed = (event: KeyboardEvent, node: ModuleNode): boolean => {
    if ((event.ctrlKey || event.metaKey) && event.key === "c") {
      if (String(getSelection()) !== "") return false;
      copy(node.path, "path");
      return true;
    }
    if (event.key === "Escape") return peel();
    return false;
  };
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target) || document.querySelector("dialog[open], [popover]:popover-open") !== null) return;
      if (event.key === "/") {
        event.preventDefault();
        searchInput.current?.focus();
      } else if (event.key === "Escape" && peel()) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });

  const analyze = (node: ModuleNode) => {
    const found = searchFor(searchForModule({ className: node.className, path: node.path, lastPath: node.lastPath, modelName: model.name }));
    void navigate({ to: "/t/$tenant/flamegraph", params: { tenant }, search: ((old: Record<string, unknown>) => ({ ...keepRange(old), filter: old.filter, search: found, model: modelId })) as never });
  };
  const standsAlone = (node: ModuleNode) => [...state.unfolded].some((one) => parentPath(one) === parentPath(node.path));
  const items = (node: ModuleNode): MenuItem[][] => [
    [
      ...(node.open === null ? [] : [{ label: node.open ? "Close" : "Open", keys: node.open ? "←" : "→", run: () => setState(toggle(state, [node.path])) }]),
      ...(node.copies > 1 ? [{ label: "Unfold…", run: () => setUnfolding(node), testId: "menu-unfold" }] : []),
      ...(node.path !== "" && standsAlone(node) ? [{ label: "Fold the copies again", run: () => setState(foldBelow(state, parentPath(node.path)), undefined) }] : []),
      { label: `Spotlight on ${roleOfClass(node.className)}`, run: () => change({ role: roleOfClass(node.className) }) },
    ],
    [
      { label: "Analyze with CUDA flamegraph", run: () => analyze(node), testId: "menu-analyze" },
      search.view === "list" ? { label: "Show in the graph", run: () => change({ view: undefined }) } : { label: "Show in the list", run: () => change({ view: "list" }) },
    ],
    [
      { label: "Copy the path", keys: "Ctrl C", run: () => copy(node.path, "path") },
      { label: "Copy the class", run: () => copy(node.className, "class") },
      { label: "Copy a filter for it", run: () => copy(`module.path == ${JSON.stringify(node.path)}`, "filter"), unless: node.copies > 1 ? "it is several modules" : "" },
    ],
  ];
  const choose = (chosen: string, folded: readonly string[]) => {
    setUnfolding(null);
    setState(folded.reduce<TreeState>((next, one) => unfold(next, one), state), chosen);
    focusTree();
  };
  const openMenu = (at: string, point: { readonly x: number; readonly y: number }) => {
    const node = nodes.find((one) => one.path === at);
    if (node !== undefined) setMenu({ node, at: point });
  };
  const shared = { nodes, selected: selected?.path, times, matches: structure.matches, select, toggle: (paths: readonly string[]) => setState(toggle(state, paths)), menu: openMenu, keyPressed };
  return (
    <>
      <StructureBar structure={structure} model={model} layouts={layouts} timeLabel={timeLabel} hover={setHovered} kept={kept} searchInput={searchInput} leaveSearch={focusTree} />
      {structure.missing && (
        <p className={style.missing} role="note">
          The model has no module <code>{printable(path ?? "")}</code>.
        </p>
      )}
      <div className={style.split} ref={place}>
        {search.view === "list" ? (
          <Suspense fallback={<Loading what="the list" rows={12} />}>
            <ModuleTree {...shared} />
          </Suspense>
        ) : (
          <ModuleGraph
            key={model.shapeId}
            {...shared}
            label={`Module graph of ${printable(model.name)}`}
            role={hovered ?? kept}
            counts={structure.counts}
            links={structure.links}
            camera={search.at}
            moved={(at) => change({ at: at === "" ? undefined : at })}
            expandAll={() => setState({ ...treeAtFirst, unfolded: state.unfolded, all: true })}
            reset={structure.reset}
          />
        )}
        {selected !== undefined && (
          <Suspense fallback={<div className={style.place} />}>
            <ModuleDetails
              node={selected}
              facts={facts}
              state={state}
              layout={structure.layout}
              modelName={model.name}
              modelId={modelId}
              asked={path ?? ""}
              times={times}
              timeLabel={timeLabel}
              reveal={select}
              unfold={() => setUnfolding(selected)}
              close={() => select(undefined)}
            />
          </Suspense>
        )}
      </div>
      {menu !== null && <Menu label={`Menu of ${printable(menu.node.label)}`} heading={attributeName(menu.node.path) || printable(model.name)} groups={items(menu.node)} at={anchorOf(menu.at)} close={() => setMenu(null)} testId="module-menu" />}
      {unfolding !== null && (
        <Suspense>
          <CopiesDialog
            node={unfolding}
            facts={facts}
            times={times}
            choose={choose}
            all={() => {
              setState(unfold(state, joinPath(parentPath(unfolding.path), "*")), undefined);
              setUnfolding(null);
            }}
            close={() => setUnfolding(null)}
          />
        </Suspense>
      )}
    </>
  );
}

function anchorOf({ x, y }: { readonly x: number; readonly y: number }) {
  return { left: x, top: y, bottom: y };
}
