// The rules of aliases, checked: each says that one path shares the tensors of another, and one structure has exactly one list of them.
// Invariant after the check: every alias path exists; none lies in another alias; a target is no alias itself and comes first in pre-order.
import type { ShapeBody } from "#schema/api/models.ts";
import { comparePositions, holds, locator, type Place } from "./locate.ts";
import { undecodable, type ShapeProblem } from "./problem.ts";

export interface PlacedAlias {
  path: string;
  target: string;
  at: Place;
  shares: Place | undefined; // undefined when another pipeline stage holds the target
}

// All aliases with their places, in pre-order. Paths that lead nowhere are left out: checkAliases reports them first.
export function placeAliases(body: ShapeBody): PlacedAlias[] {
  if (body.aliases.length === 0) return [];
  const locate = locator(body);
  const placed: PlacedAlias[] = [];
  for (const { path, target } of body.aliases) {
    const at = locate(path);
    if (at !== undefined) placed.push({ path, target, at, shares: locate(target) });
  }
  return placed.sort((a, b) => comparePositions(a.at.position, b.at.position));
}

// `whole` is false for one stage of a pipeline: its targets may lie in another stage.
export function checkAliases(body: ShapeBody, whole: boolean): ShapeProblem | undefined {
  const placed = placeAliases(body);
  if (placed.length < body.aliases.length) {
    const found = new Set(placed.map(({ path }) => path));
    const lost = body.aliases.find(({ path }) => !found.has(path))!;
    return undecodable(`aliases: path "${lost.path}" names no module or tensor of the tree`);
  }
  for (const [i, { path, target, at, shares }] of placed.entries()) {
    const before = placed[i - 1];
    if (before !== undefined && holds(before.at.position, at.position)) {
      return undecodable(
        before.path === path
          ? `aliases: path "${path}" is listed twice`
          : `aliases: path "${path}" lies in "${before.path}", which is an alias already; only the topmost is listed`,
      );
    }
    if (at.position.length === 0) return undecodable(`aliases: the root cannot share the tensors of "${target}"`);
    if (shares === undefined) {
      if (whole) return undecodable(`aliases: target "${target}" of "${path}" names no module or tensor of the tree`);
      continue;
    }
    if ((at.tensor === undefined) !== (shares.tensor === undefined)) {
      return undecodable(`aliases: "${path}" and its target "${target}" are not both modules or both tensors`);
    }
    if (comparePositions(shares.position, at.position) >= 0) return undecodable(`aliases: target "${target}" must come before "${path}" in pre-order`);
    const covering = lastNotAfter(placed, shares.position);
    if (covering !== undefined && holds(covering.at.position, shares.position)) {
      return undecodable(`aliases: target "${target}" of "${path}" is itself shared: name "${covering.target}" or what lies in it`);
    }
    if (holds(shares.position, at.position)) return undecodable(`aliases: "${path}" lies in its own target "${target}"`);
  }
  return undefined;
}

// What only buffers share is no part of the structure: in a pipeline the first layer of every stage has its own rotary cache, of which one process alone has
// one. So a model in one piece and in stages is one shape.
export function splitAliases(body: ShapeBody): { ofWeights: ShapeBody["aliases"]; ofBuffers: ShapeBody["aliases"] } {
  const weighty: boolean[] = [];
  for (const { tensors, children } of body.modules) {
    weighty.push(tensors.some(({ role }) => role !== "buffer") || children.some(({ module }) => weighty[module]));
  }
  const [ofWeights, ofBuffers]: ShapeBody["aliases"][] = [[], []];
  for (const { path, target, at } of placeAliases(body)) {
    const weights = at.tensor === undefined ? weighty[at.module]! : body.modules[at.module]!.tensors[at.tensor]!.role !== "buffer";
    (weights ? ofWeights : ofBuffers)!.push({ path, target });
  }
  return { ofWeights: ofWeights!, ofBuffers: ofBuffers! };
}

// The last alias at or before a position: as aliases do not nest, the only one that could hold it.
function lastNotAfter(placed: readonly PlacedAlias[], position: readonly number[]): PlacedAlias | undefined {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePositions(placed[middle]!.at.position, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return placed[low - 1];
}
