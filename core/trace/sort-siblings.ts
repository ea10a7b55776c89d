// A tree in pre-order, with its siblings in another order: what holds something still stands before it. `key`: larger comes first; equal ones keep their order.
export function sortSiblings<Node extends { readonly depth: number }>(nodes: readonly Node[], key: (node: Node) => number): Node[] {
  const branches: Node[][] = [];
  const top = nodes.reduce((least, { depth }) => Math.min(least, depth), Number.POSITIVE_INFINITY);
  for (const node of nodes) {
    if (node.depth === top) branches.push([node]);
    else branches.at(-1)!.push(node);
  }
  return branches.sort(([a], [b]) => key(b!) - key(a!)).flatMap(([head, ...below]) => [head!, ...(below.length > 1 ? sortSiblings(below, key) : below)]);
}
