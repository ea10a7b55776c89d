// What a key does in a tree of rows: another row to select, or rows to open or close. Undefined: the key is not the tree's.
export type TreeNode = { readonly path: string; readonly level: number; readonly open: boolean | null }; // path: its name, once in the tree; open: null = a leaf

export type TreeMove = { readonly select: string; readonly toggle: readonly string[] };

export function treeMove(nodes: readonly TreeNode[], active: TreeNode, key: string): TreeMove | undefined {
  const at = nodes.indexOf(active);
  const select = (index: number): TreeMove => ({ select: (nodes[Math.min(nodes.length - 1, Math.max(0, index))] ?? active).path, toggle: [] });
  const toggle = (paths: readonly string[]): TreeMove => ({ select: active.path, toggle: paths });
  switch (key) {
    case "ArrowDown":
      return select(at + 1);
    case "ArrowUp":
      return select(at - 1);
    case "Home":
      return select(0);
    case "End":
      return select(nodes.length - 1);
    case "ArrowRight":
      return active.open === false ? toggle([active.path]) : active.open === true ? select(at + 1) : select(at);
    case "ArrowLeft":
      return active.open === true ? toggle([active.path]) : select(parentAt(nodes, at));
    case "Enter":
    case " ":
      return select(at);
    case "*":
      return toggle(
        siblings(nodes, at)
          .filter((node) => node.open === false)
          .map((node) => node.path),
      );
    default:
      return undefined;
  }
}

function parentAt(nodes: readonly TreeNode[], at: number): number {
  const level = nodes[at]?.level ?? 1;
  for (let above = at - 1; above >= 0; above--) if ((nodes[above] as TreeNode).level < level) return above;
  return at;
}

function siblings(nodes: readonly TreeNode[], at: number): TreeNode[] {
  const parent = parentAt(nodes, at);
  const level = nodes[at]?.level ?? 1;
  const below = parent === at ? nodes : nodes.slice(parent + 1);
  const end = parent === at ? -1 : below.findIndex((node) => node.level < level);
  return (end < 0 ? below : below.slice(0, end)).filter((node) => node.level === level);
}
