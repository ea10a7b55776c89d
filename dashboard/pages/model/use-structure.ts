// The structure of a model as the page shows it: the shape's facts, the rows, what is selected, searched and lit, and how long each module took. Everything a
// person can change is in the URL.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { findModules, type Found } from "#core/shape/find/find.ts";
import type { FlamegraphTop } from "#schema/api/flamegraph-tables.ts";
import type { ModelLayout, ModelRow, ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { useSession } from "../../app/session.tsx";
import { useTimeRange } from "../../app/time-range-picker.tsx";
import type { ModelSearch } from "../../app/url-state.ts";
import { drawnLinks, moduleAliases } from "./alias-links.ts";
import { RoleCounts } from "./graph/role-counts.ts";
import { moduleNodes, reveal, rowPath, shapeFacts } from "./module-nodes.ts";
import { moduleTimes } from "./module-times.ts";
import { shapeLayoutOf } from "./shape-layout.ts";
import { pathOf, searchOfPath, searchOfState, treeStateOf } from "./structure-state.ts";
import { timesQuery } from "./times-query.ts";
import { parentPath, treeAtFirst, type TreeState } from "./tree-state.ts";

export function useStructure(shape: ShapeBody, model: ModelRow, layouts: readonly ModelLayout[]) {
  const { tenant } = useSession();
  const range = useTimeRange();
  const search = useSearch({ from: "/t/$tenant/models/$model" });
  const navigate = useNavigate({ from: "/t/$tenant/models/$model" });
  const body = useMemo(() => (search.aliases === "off" ? { ...shape, aliases: [] } : shape), [shape, search.aliases]);
  const facts = useMemo(() => shapeFacts(body), [body]);
  const counts = useMemo(() => new RoleCounts(body), [body]);
  const aliases = useMemo(() => moduleAliases(body), [body]);

  const asked = useMemo(() => treeStateOf({ toggled: search.toggled, unfold: search.unfold, expand: search.expand }), [search.toggled, search.unfold, search.expand]);
  const path = pathOf(search);
  const shown = useMemo(() => (path === undefined ? undefined : reveal(facts, asked, path)), [facts, asked, path]);
  const state = shown?.state ?? asked;
  const nodes = useMemo(() => moduleNodes(facts, model.name, state), [facts, model.name, state]);
  const visible = useMemo(() => new Set(nodes.map((node) => node.path)), [nodes]);
  const selected = shown === undefined ? undefined : nodes.find((node) => node.path === shown.path);

  const q = search.q ?? "";
  const { found, problem } = useMemo((): { found: Found | null; problem: string } => {
    if (q.trim() === "") return { found: null, problem: "" };
    const answer = findModules(body, q, limits.findHitsMax);
    return answer.ok ? { found: answer.value, problem: "" } : { found: null, problem: answer.error.message };
  }, [body, q]);
  const matches = useMemo(() => {
    const byPath = new Map<string, number>();
    for (const hit of found?.hits ?? []) {
      let at = rowPath(facts, state, hit.first) ?? "";
      while (at !== "" && !visible.has(at)) at = parentPath(at);
      byPath.set(at, (byPath.get(at) ?? 0) + hit.copies);
    }
    return byPath;
  }, [found, facts, state, visible]);

  const top = useQuery(timesQuery(tenant, range, search.filter, search.times !== "off"));
  const times = useMemo(() => timesOf(search.times === "off" || top.isError ? undefined : top.data, model, facts, state), [search.times, top.isError, top.data, model, facts, state]);
  const selectedPath = selected?.path;
  const links = useMemo(
    () => (selectedPath === undefined ? [] : drawnLinks(aliases, selectedPath, (at) => rowPath(facts, state, at), visible)),
    [aliases, selectedPath, facts, state, visible],
  );
  const layout = layouts.find(({ layoutId }) => layoutId === search.layout) ?? layouts[0];

  const change = (next: Partial<ModelSearch>) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  return {
    search, change, facts, counts, nodes, state, path, selected, missing: path !== undefined && shown === undefined, found, problem, matches, links, top, times,
    layoutId: layout?.layoutId,
    layout: useMemo(() => (layout === undefined ? undefined : shapeLayoutOf(layout)), [layout]),
    select: (next: string | undefined) => change(searchOfPath(next)),
    setState: (next: TreeState, select: string | undefined = path) => change({ ...searchOfState(next), ...searchOfPath(select) }),
    reset: () => change({ ...searchOfState(treeAtFirst), path: undefined, role: undefined, at: undefined }),
  };
}
export type Structure = ReturnType<typeof useStructure>;

function timesOf(top: FlamegraphTop | undefined, model: ModelRow, facts: Parameters<typeof moduleTimes>[0], state: TreeState) {
  if (top === undefined) return null;
  const keys = new Set(model.modelKeys);
  const rows = top.rows.filter(({ modelKey }) => keys.has(modelKey));
  if (rows.length === 0) return null;
  return { ...moduleTimes(facts, state, rows), whole: top.total, unit: top.unit, cut: top.cut.rows };
}

