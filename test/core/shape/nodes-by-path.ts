import type { ModuleGraph } from "#core/shape/graph.ts";

// In pre-order; of a folded node, the path of its first copy.
export function nodesByPath({ size, parent, name, names }: ModuleGraph): Map<string, number> {
  const paths: string[] = [""];
  for (let node = 1; node < size; node++) paths.push([paths[parent[node]!]!, names[name[node]!]!].filter((step) => step !== "").join("."));
  return new Map(paths.map((path, node) => [path, node]));
}
