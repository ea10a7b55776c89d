// Two module trees walked side by side by name. Equal structure is skipped at once, equal pairs of neighbours are walked once, and what differs between two rows is
// worked out once, however many places have them; so the work is in what differs. Only where a place shares something it is walked by itself: what it counts is its own.
import { limits } from "#schema/limits.ts";
import { ok, err, type Result } from "../../result.ts";
import type { ChangeGroups, Places } from "./change-groups.ts";
import { differenceOf, type Change, type Difference, type Side } from "./module-difference.ts";
import type { Steps } from "../steps.ts";
import type { Subtree } from "../totals.ts";

const nameSteps = 100; // to look for a tensor or child on the other side, and to compare the two

export function compareModules(a: Side, b: Side, groups: ChangeGroups<Change>, steps: Steps): Result<void, string> {
  const differences = new Map<number, Difference>(); // of rows in which nothing is shared
  const open: { places: Places<Change>; a: Subtree; b: Subtree }[] = [{ places: groups.root, a: a.totals.root, b: b.totals.root }];
  let walked = 0;
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { places } = top;
    if (a.hashes[top.a.row] === b.hashes[top.b.row]) continue;
    if (++walked > limits.compareModulesMax) return err(`more than compareModulesMax = ${limits.compareModulesMax} modules differ: these are two different models`);
    const key = top.a.row * b.hashes.length + top.b.row;
    const shares = top.a.knot !== undefined || top.b.knot !== undefined;
    let difference = shares ? undefined : differences.get(key);
    if (difference === undefined) {
      const [left, right] = [a.body.modules[top.a.row]!, b.body.modules[top.b.row]!];
      steps.take((left.tensors.length + left.children.length + right.tensors.length + right.children.length) * nameSteps);
      difference = differenceOf([a, b], top.a, top.b, groups);
      if (!shares) differences.set(key, difference);
    }
    for (const { at, change } of difference.changes) groups.add(at === undefined ? places : groups.below(places, at), change);
    for (const pair of [...difference.pairs].reverse()) open.push({ places: groups.below(places, pair), a: pair.a, b: pair.b });
  }
  return ok(undefined);
}
