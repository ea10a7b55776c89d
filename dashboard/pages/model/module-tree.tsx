// The module tree as a treegrid: one row a module, folded siblings in one row, all of it by keyboard. What is open and selected is in the URL.
import { ChevronRight } from "lucide-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, type KeyboardEvent } from "react";
import { printable } from "#core/printable.ts";
import { roleOfClass } from "#core/shape/role.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { formatBytes, formatCount } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { treeMove } from "../../parts/tree-move.ts";
import { ModuleDetails } from "./module-details.tsx";
import { moduleNodes, reveal, shapeFacts, type ModuleNode } from "./module-nodes.ts";
import style from "./module-tree.module.css";

const rootPath = "."; // the root in the URL, where an empty value is no value

export function ModuleTree({ shape, modelName, modelId }: { readonly shape: ShapeBody; readonly modelName: string; readonly modelId: string }) {
  const search = useSearch({ from: "/t/$tenant/models/$model" });
  const navigate = useNavigate({ from: "/t/$tenant/models/$model" });
  const facts = useMemo(() => shapeFacts(shape), [shape]);
  const asked = useMemo(() => new Set(search.toggled?.split(",")), [search.toggled]);
  const path = search.path === rootPath ? "" : search.path;
  const shown = useMemo(() => (path === undefined ? undefined : reveal(facts, asked, path)), [facts, asked, path]);
  const toggled = shown?.toggled ?? asked;
  const nodes = useMemo(() => moduleNodes(facts, modelName, toggled), [facts, modelName, toggled]);
  const selected = shown === undefined ? undefined : nodes.find((node) => node.path === shown.path);
  const active = selected ?? nodes[0]!;

  const go = (path: string | undefined, next: ReadonlySet<string>) =>
    void navigate({
      search: (old) => ({ ...old, path: path === "" ? rootPath : path, toggled: next.size === 0 ? undefined : [...next].join(",") }),
      replace: true,
    });
  const toggle = (paths: readonly string[], keep: string | undefined) => {
    const next = new Set(toggled);
    for (const path of paths) if (!next.delete(path)) next.add(path);
    go(keep, next);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(nodes, active, event.key);
    if (move === undefined) return;
    event.preventDefault();
    if (move.toggle.length > 0) toggle(move.toggle, path);
    else go(move.select, toggled);
  };
  const selectedId = selected === undefined ? undefined : rowId(selected);
  useEffect(() => {
    if (selectedId !== undefined) document.getElementById(selectedId)?.scrollIntoView({ block: "nearest" });
  }, [selectedId]);

  return (
    <div className={style.split}>
      <div className={style.scroll}>
        {path !== undefined && shown === undefined && (
          <p className={style.note} role="note">
            The model has no module <code>{path}</code>.
          </p>
        )}
        <table
          className={style.tree}
          role="treegrid"
          aria-label="Module tree"
          tabIndex={0}
          aria-activedescendant={rowId(active)}
          onKeyDown={keyDown}
          data-testid="module-tree"
        >
          <thead>
            <tr>
              <th scope="col">Module</th>
              <th scope="col">Class</th>
              <th scope="col" data-numeric="true">
                Parameters
              </th>
              <th scope="col" data-numeric="true">
                Weights
              </th>
              <th scope="col" data-numeric="true">
                Submodules
              </th>
              <th scope="col">Dtypes</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <Row
                key={node.path}
                node={node}
                selected={node === selected}
                select={() => go(node.path, toggled)}
                toggle={() => toggle([node.path], path)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {selected !== undefined && (
        <ModuleDetails
          node={selected}
          facts={facts}
          modelName={modelName}
          modelId={modelId}
          asked={path ?? ""}
          close={() => go(undefined, toggled)}
        />
      )}
    </div>
  );
}

function rowId(node: ModuleNode): string {
  return `module-${node.path}`;
}

function Row({
  node,
  selected,
  select,
  toggle,
}: {
  readonly node: ModuleNode;
  readonly selected: boolean;
  readonly select: () => void;
  readonly toggle: () => void;
}) {
  return (
    <tr
      id={rowId(node)}
      role="row"
      aria-level={node.level}
      aria-posinset={node.position}
      aria-setsize={node.siblings}
      aria-selected={selected}
      {...(node.open === null ? {} : { "aria-expanded": node.open })}
      onClick={select}
      data-testid="module-row"
      data-path={node.path}
      data-repeat={node.repeat}
    >
      <td role="gridcell" style={{ paddingLeft: 8 + (node.level - 1) * 18 }}>
        <span className={style.module}>
          {node.open === null ? (
            <span className={style.leaf} />
          ) : (
            <button
              type="button"
              tabIndex={-1}
              className={style.twisty}
              data-open={node.open}
              aria-label={node.open ? `Close ${node.label}` : `Open ${node.label}`}
              onClick={(event) => {
                event.stopPropagation();
                toggle();
              }}
            >
              <ChevronRight size={14} />
            </button>
          )}
          <span className={style.label}>{printable(node.label)}</span>
          {node.shares !== "" && (
            <span className={style.shares} title={node.shares}>
              {node.shares}
            </span>
          )}
        </span>
      </td>
      <td role="gridcell">
        <span className={style.class}>
          <i data-role={roleOfClass(node.className)} />
          {printable(node.className)}
          {node.repeat > 1 && <b className={style.repeat}>×{node.repeat}</b>}
        </span>
      </td>
      <td role="gridcell" data-numeric="true">
        {node.parameters === 0 ? "—" : <Quantity value={formatCount(node.parameters)} />}
        {node.repeat > 1 && node.parameters > 0 && <span className={style.each}> each</span>}
      </td>
      <td role="gridcell" data-numeric="true">
        {node.weightBytes === 0 ? "—" : <Quantity value={formatBytes(node.weightBytes)} />}
      </td>
      <td role="gridcell" data-numeric="true">
        {node.submodules === 0 ? "—" : <Quantity value={formatCount(node.submodules)} />}
      </td>
      <td role="gridcell" className={style.dtypes}>
        {node.dtypes.join(", ")}
      </td>
    </tr>
  );
}
