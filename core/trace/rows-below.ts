// A module's row and those of everything called in it. Children come after their parents, so one pass sees all.
export function rowsBelow({ modules }: { readonly modules: { readonly parent: readonly number[] } }, top: number): Set<number> {
  const rows = new Set([top]);
  for (let row = top + 1; row < modules.parent.length; row++) if (rows.has(modules.parent[row]!)) rows.add(row);
  return rows;
}
