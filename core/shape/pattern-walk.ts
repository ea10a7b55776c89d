// Where patterns of paths lead, all of them in one walk. A step of a pattern is a name, or "*" for any index; patterns that begin alike are one branch until they part.
// A row is met once for each branch that leads to it, however many paths do, and then the fewer are looked up: the branch's next steps among the row's names, or
// the names among the steps. So 1,000 patterns `*.w0` … over 18,000 rows cost what the rows hold, not 18 million questions.
import { joinPath } from "./locate.ts";
import type { Edge, Held, PatternRows } from "./pattern-rows.ts";
import type { Steps } from "./steps.ts";

// What one row that a pattern leads to holds by the pattern's last step.
export interface PatternEnd {
  pattern: string;
  held: Held;
  copies: number; // paths that lead to the row
  path: string; // of the row: the first or the last of them
}

interface Place {
  copies: number;
  path: string;
}

// Patterns that go on after one step, and the one that ends with it.
interface Branch {
  longer: Rest[];
  ends: string | undefined;
}

interface Rest {
  pattern: string;
  from: number; // where its next step begins
}

const splitSteps = 40; // to read one step of a pattern
const meetSteps = 60; // to meet a row on a branch
const lookupSteps = 30; // to look a step up, or to go on with one row

// For each pattern the row of its first path is found first; with edge "last", that of its last path.
export function walkPatterns(rows: PatternRows, patterns: ReadonlySet<string>, edge: Edge, steps: Steps, found: (end: PatternEnd) => void): void {
  const open = [{ patterns: [...patterns].map((pattern): Rest => ({ pattern, from: 0 })), places: new Map<number, Place>([[rows.root, { copies: 1, path: "" }]]) }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    steps.take(top.patterns.length * splitSteps);
    const branches = branchesOf(top.patterns);
    const next = new Map<Branch, Map<number, Place>>();
    // Rows are met in the order of their first paths, so those below are too.
    for (const [row, { copies, path }] of top.places) {
      const names = rows.namesOf(row);
      steps.take(meetSteps + Math.min(names.size, branches.size) * lookupSteps);
      names.meet(branches, (branch, step, held) => {
        if (branch.ends !== undefined) found({ pattern: branch.ends, held, copies, path });
        if (branch.longer.length === 0 || held.children.length === 0) return;
        const ways = names.ways(step, held, edge);
        steps.take(ways.length * lookupSteps);
        let places = next.get(branch);
        if (places === undefined) next.set(branch, (places = new Map()));
        for (const way of ways) {
          const place = places.get(way.row);
          if (place === undefined) places.set(way.row, { copies: copies * way.copies, path: joinPath(path, way.name) });
          else place.copies += copies * way.copies;
        }
      });
    }
    for (const [{ longer }, places] of next) open.push({ patterns: longer, places });
  }
}

function branchesOf(patterns: readonly Rest[]): Map<string, Branch> {
  const branches = new Map<string, Branch>();
  for (const { pattern, from } of patterns) {
    const dot = pattern.indexOf(".", from);
    const step = pattern.slice(from, dot === -1 ? undefined : dot);
    let branch = branches.get(step);
    if (branch === undefined) branches.set(step, (branch = { longer: [], ends: undefined }));
    if (dot === -1) branch.ends = pattern;
    else branch.longer.push({ pattern, from: dot + 1 });
  }
  return branches;
}
