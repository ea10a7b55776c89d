// "Did you mean": the nearest of a few known words: the same in another case, else at most two edits away (insert, delete, replace, swap of neighbours).

export const editDistanceMax = 2;
const longest = 100; // no known word is; Unicode case makes a word at most three times as long

// Undefined when none is near enough. Equal distances: the first of `candidates`. Words whose lengths differ by more than the maximum are never compared,
// so a long unknown word costs nothing.
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.length > longest ? "" : word.toLowerCase();
  let best = candidates.find((candidate) => candidate.toLowerCase() === lower);
  if (best !== undefined) return best;
  let bestDistance = editDistanceMax + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > editDistanceMax) continue;
    const distance = editDistance(word, candidate);
    // Two edits turn any two-letter word into any other: more than half of the word must be right.
    if (distance < bestDistance && distance * 2 < Math.max(word.length, candidate.length)) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

// The only name that has the dotted parts of `word` among its own, in their order: pod → k8s.pod.name, job.user → slurm.job.user.
export function onlyWithParts(word: string, names: readonly string[]): string | undefined {
  const parts = word.length > longest ? [] : word.toLowerCase().split(".");
  const found = names.filter((name) => {
    let at = 0;
    for (const part of name.split(".")) if (part === parts[at]) at++;
    return at === parts.length && at > 0;
  });
  return found.length === 1 ? found[0] : undefined;
}

export function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return last[right.length]!;
}
