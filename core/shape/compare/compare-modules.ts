// Two module trees walked side by side by name. Equal structure is skipped at once, equal pairs of neighbours are walked once, and what differs between two rows is
// worked out once, however many places have them; so the work is in what differs.
import { limits } from "#schema/limits.ts";
import { ok, err, type Result } from "../../result.ts";
import type { CanonicalShape } from "../canonical.ts";
import type { ChangeGroups, Places } from "./change-groups.ts";
import { differenceOf, type Change, type Difference, type Side } from "./module-difference.ts";
import type { Steps } from "../steps.ts";
import { rowTotals } from "../totals.ts";

const nameSteps = 100; // to look for a tensor or child on the other side, and to compare the two

export function compareModules(a: CanonicalShape, b: CanonicalShape, groups: ChangeGroups<Change>, steps: Steps): Result<void, string> {
  const sides = [a, b].map(({ body, hashes }): Side => ({ body, hashes, totals: rowTotals(body) })) as [Side, Side];
  const differences = new Map<number, Difference>();
  const open: { places: Places<Change>; a: number; b: number }[] = [{ places: groups.root, a: a.body.root, b: b.body.root }];
  let walked = 0;
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { places } = top;
    if (a.hashes[top.a] === b.hashes[top.b]) continue;
    if (++walked > limits.compareModulesMax) return err(`more than compareModulesMax = ${limits.compareModulesMax} modules differ: these are two different models`);
    const key = top.a * b.hashes.length + top.b;
    let difference = differences.get(key);
    if (difference === undefined) {
      const [left, right] = [a.body.modules[top.a]!, b.body.modules[top.b]!];
      steps.take((left.tensors.length + left.children.length + right.tensors.length + right.children.length) * nameSteps);
      differences.set(key, (difference = differenceOf(sides, left, right, groups)));
    }
    for (const { at, change } of difference.changes) groups.add(at === undefined ? places : groups.below(places, at), change);
    for (const pair of [...difference.pairs].reverse()) open.push({ places: groups.below(places, pair), a: pair.a, b: pair.b });
  }
  return ok(undefined);
}
