// Which path a module or tensor shares, and how many others share it. An alias of a module speaks for everything below it.
import type { ShapeBody } from "#schema/api/models.ts";

export interface Sharing {
  target(path: string): string | null;
  sharers(path: string): number;
}

export function sharing(aliases: ShapeBody["aliases"]): Sharing {
  const targets = new Map(aliases.map(({ path, target }) => [path, target]));
  const counts = new Map<string, number>();
  for (const { target } of aliases) counts.set(target, (counts.get(target) ?? 0) + 1);
  return {
    target(path) {
      for (const end of prefixEnds(path)) {
        const target = targets.get(path.slice(0, end));
        if (target !== undefined) return target + path.slice(end);
      }
      return null;
    },
    sharers: (path) => prefixEnds(path).reduce((sum, end) => sum + (counts.get(path.slice(0, end)) ?? 0), 0),
  };
}

// Where the path and each module above it end, the deepest first; the root, which shares nothing, is not among them.
function prefixEnds(path: string): number[] {
  const ends: number[] = [];
  for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) ends.push(end);
  return ends;
}
