// The kernels of one replayed graph → the launches it was captured from. All kernels of a replay carry the correlation of its one launch call. Where the
// profiler gives their node ids, these order them as they were captured; else their start times do, which parallel branches of a graph may mix.
// A captured graph fits when it names the same kernels equally often (or, where launches name no kernels, has as many). Of several that fit (the pieces of a
// piecewise graph are alike), those captured for the step's batch come first, and within a step they are taken in turn.
// The n-th kernel of a name is the n-th launch of that name: right whatever the branches do, as long as those of one name keep their order.
import type { CapturedGraph, CapturedKernel } from "./captured-graphs.ts";

export class GraphReplays {
  readonly graphs: CapturedGraph[] = [];
  private readonly bySignature = new Map<string, CapturedGraph[]>();
  private readonly namelessByLength = new Map<number, CapturedGraph[]>();
  private readonly named: { graph: CapturedGraph; counts: ReadonlyMap<string, number> }[] = []; // one of each signature
  private readonly closest = new Map<string, CapturedKernel[] | undefined>(); // signature that no graph has → the kernels of the closest one that it shares
  private readonly turn = new Map<string, number>(); // step and signature → replays so far

  constructor(graphs: readonly CapturedGraph[]) {
    this.add(graphs);
  }

  add(graphs: readonly CapturedGraph[]): void {
    for (const graph of graphs) {
      this.graphs.push(graph);
      const counts = countsOf(graph.kernels.map((kernel) => kernel.name));
      const signature = signatureOf(counts);
      let alike = this.bySignature.get(signature);
      if (alike === undefined) {
        this.bySignature.set(signature, (alike = []));
        if (counts.get("") === graph.kernels.length) this.namelessByLength.set(graph.kernels.length, alike);
        else this.named.push({ graph, counts });
      }
      alike.push(graph);
    }
    this.closest.clear();
  }

  // `names`: the replay's kernels in order. Per kernel the captured launch; undefined where there is none.
  match(names: readonly string[], step: number, batch: number): (CapturedKernel | undefined)[] {
    const counts = countsOf(names);
    const signature = signatureOf(counts);
    const fitting = this.bySignature.get(signature);
    const named = fitting !== undefined;
    const alike = fitting ?? this.namelessByLength.get(names.length);
    if (alike === undefined) return this.partly(signature, counts, names);
    const sized = alike.filter((graph) => batch > 0 && graph.batch === batch);
    const candidates = sized.length > 0 ? sized : alike;
    const key = `${step}\0${signature}`;
    const turn = this.turn.get(key) ?? 0;
    this.turn.set(key, turn + 1);
    const { kernels } = candidates[turn % candidates.length]!;
    return named ? byName(kernels, names) : kernels.slice();
  }

  // No graph fits whole: the one that shares most kernels, for the names it has equally often; it must be most of the replay, else it is another graph.
  private partly(signature: string, counts: ReadonlyMap<string, number>, names: readonly string[]): (CapturedKernel | undefined)[] {
    if (!this.closest.has(signature)) this.closest.set(signature, this.sharedWith(counts));
    const shared = this.closest.get(signature);
    return shared === undefined ? names.map(() => undefined) : byName(shared, names);
  }

  private sharedWith(counts: ReadonlyMap<string, number>): CapturedKernel[] | undefined {
    let best: (typeof this.named)[number] | undefined;
    let most = [...counts.values()].reduce((sum, count) => sum + count, 0) / 2;
    for (const one of this.named) {
      let shared = 0;
      for (const [name, count] of counts) if (name !== "" && one.counts.get(name) === count) shared += count;
      if (shared > most) [best, most] = [one, shared];
    }
    return best?.graph.kernels.filter(({ name }) => best.counts.get(name) === counts.get(name));
  }
}

function byName(kernels: readonly CapturedKernel[], names: readonly string[]): (CapturedKernel | undefined)[] {
  const queues = new Map<string, CapturedKernel[]>();
  for (const kernel of kernels) {
    const queue = queues.get(kernel.name);
    if (queue === undefined) queues.set(kernel.name, [kernel]);
    else queue.push(kernel);
  }
  const taken = new Map<string, number>();
  return names.map((name) => {
    const at = taken.get(name) ?? 0;
    taken.set(name, at + 1);
    return queues.get(name)?.[at];
  });
}

function signatureOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name}\0${count}`).sort().join("\n");
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
