// What a search of the flamegraph looks for to find a module's frames: the name they carry. Of copies, what their names have in common up to where they part.
import { searchFor } from "#core/flamegraph/search.ts";

export function framesSearch(names: readonly string[]): string {
  const [first, last] = [names[0]!, names.at(-1)!];
  if (first === last) return searchFor(first);
  let same = 0;
  while (same < first.length && first[same] === last[same]) same++;
  const common = first.slice(0, same).replace(/\d+$/, "");
  return searchFor(common.trim() === "" ? first : common);
}
