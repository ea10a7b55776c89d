// The aliases of a shape between modules, and those to draw in a graph: only the ones of one module, each end at the box that is shown for it.
import { placeAliases } from "#core/shape/alias.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { parentPath } from "./tree-state.ts";

export type ModuleAlias = { readonly from: string; readonly to: string; readonly what: string }; // paths of modules; what: path of what is shared

// Each once, an alias of a tensor between the modules that hold it.
export function moduleAliases(body: ShapeBody): ModuleAlias[] {
  return placeAliases(body).map(({ path, target, at }) => (at.tensor === undefined ? { from: path, to: target, what: target } : { from: parentPath(path), to: parentPath(target), what: target }));
}

export type Sharing = { readonly with: readonly string[]; readonly by: readonly string[] }; // paths of modules, each once

// Of the modules that `isOne` takes: what they share, and who shares theirs.
export function sharingOf(aliases: readonly ModuleAlias[], isOne: (path: string) => boolean): Sharing {
  return {
    with: [...new Set(aliases.filter(({ from }) => isOne(from)).map(({ to }) => to))],
    by: [...new Set(aliases.filter(({ to }) => isOne(to)).map(({ from }) => from))],
  };
}

export type DrawnLink = { readonly from: string; readonly to: string }; // paths of rows that are shown

// `rowOf`: the row a module's path is in; `shown`: the paths of the rows that are shown. Ends in closed sections are drawn at the section.
export function drawnLinks(aliases: readonly ModuleAlias[], of: string, rowOf: (path: string) => string | undefined, shown: ReadonlySet<string>): DrawnLink[] {
  const links = new Map<string, DrawnLink>();
  for (const { from, to } of aliases) {
    const ends = [rowOf(from), rowOf(to)] as const;
    if (ends[0] === undefined || ends[1] === undefined || !ends.includes(of)) continue;
    const link = { from: visible(ends[0], shown), to: visible(ends[1], shown) };
    if (link.from !== link.to) links.set(`${link.from} ${link.to}`, link);
  }
  return [...links.values()];
}

function visible(path: string, shown: ReadonlySet<string>): string {
  let at = path;
  while (at !== "" && !shown.has(at)) at = parentPath(at);
  return at;
}
