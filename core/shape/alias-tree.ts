// Aliases arranged as a tree beside the shape, and what a printed node says about them. Walking it with the shape costs each alias once per level.
import type { PlacedAlias } from "./alias.ts";
import type { Run } from "./fold.ts";
import { exactText } from "./number-text.ts";

export interface AliasTree {
  below: Map<number, AliasTree>; // by position of a child, or of a tensor (negative): the positions of locate.ts
  alias?: PlacedAlias;
}

export function aliasTree(aliases: readonly PlacedAlias[]): AliasTree {
  const root: AliasTree = { below: new Map() };
  for (const alias of aliases) {
    let tree = root;
    for (const step of alias.at.position) {
      let next = tree.below.get(step);
      if (next === undefined) tree.below.set(step, (next = { below: new Map() }));
      tree = next;
    }
    tree.alias = alias;
  }
  return root;
}

// For each of the consecutive runs that fold the children: the branches of all its copies, in the order of the trees. Each branch looks for its run: asking
// every tree once per run would cost aliases × children.
export function branchesOfRuns(trees: readonly AliasTree[], runs: readonly Run[]): AliasTree[][] {
  const found = runs.map((): AliasTree[] => []);
  for (const { below } of trees) for (const [position, branch] of below) if (position >= 0) found[countBefore(runs.length, (i) => runs[i]!.at, position + 1) - 1]!.push(branch);
  return found;
}

// How many of ascending positions are below a bound.
function countBefore(length: number, positionOf: (i: number) => number, bound: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positionOf(middle) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

// "shares model.embed_tokens.weight", "63 of 64 share model.layers.0.self_attn.rotary_emb": what the node itself or its own tensors share.
// `copies` is the number of paths the node stands for; `trees` has those of them with an alias at or below.
export function sharesText(trees: readonly AliasTree[], copies: number): string {
  const targets = new Map<string, number>();
  let sharing = 0;
  for (const tree of trees) {
    const own = [tree.alias, ...[...tree.below].map(([step, branch]) => (step < 0 ? branch.alias : undefined))].filter((alias) => alias !== undefined);
    if (own.length > 0) sharing++;
    for (const { target } of own) targets.set(target, (targets.get(target) ?? 0) + 1);
  }
  const names = [...targets.keys()];
  if (names.length === 0) return "";
  if (copies === 1) return `shares ${names.join(", ")}`;
  return `${exactText(sharing)} of ${exactText(copies)} share ${names.length === 1 ? names[0] : `${exactText(names.length)} others`}`;
}
