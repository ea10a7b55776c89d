// The one tree item a screen reader meets: the selected frame, with its level, place among its siblings and a spoken label.
import type { DrawnGraph } from "./drawn-graph.ts";
import { frameFacts, spokenFrame } from "./frame-facts.ts";
import { siblingPlace } from "./walk.ts";

export function FrameItem({
  graph,
  node,
  selected,
}: {
  readonly graph: DrawnGraph;
  readonly node: number;
  readonly selected: boolean;
}) {
  const { index } = graph;
  const place = siblingPlace(index, graph.nodes.parent, node);
  const facts = frameFacts(graph, node);
  const leaf = node + 1 >= (index.end[node] as number);
  return (
    <div
      role="treeitem"
      id={`frame-${node}`}
      className="visually-hidden"
      aria-level={(index.depth[node] as number) + 1}
      aria-setsize={place.size}
      aria-posinset={place.position}
      {...(leaf ? {} : { "aria-expanded": true })}
      aria-selected={selected}
      data-testid="flamegraph-frame"
      data-node={node}
      data-name={facts.name}
      data-kind={facts.kind}
      data-total={graph.nodes.total[node]}
      data-self={graph.nodes.self[node]}
      data-count={graph.nodes.count[node]}
      data-module-path={facts.modulePath}
    >
      {spokenFrame(graph, node)}
    </div>
  );
}
