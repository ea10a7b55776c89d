// The kernels of one replayed graph → the launches it was captured from. All kernels of a replay carry the correlation of its one launch call. Where the
// profiler gives their node ids, these order them as they were captured; else their start times do, which parallel branches of a graph may mix.
// A captured graph fits when it names the same kernels equally often (or, where launches name no kernels, has as many). Of several that fit (the pieces of a
// piecewise graph are alike), those captured for the step's batch come first, and within a step they are taken in turn.
// The n-th kernel of a name is the n-th launch of that name: right whatever the branches do, as long as those of one name keep their order.
import type { CapturedGraph, CapturedKernel } from "./captured-graphs.ts";

export class GraphReplays {
  readonly graphs: CapturedGraph[] = [];
  private readonly bySignature = new Map<string, CapturedGraph[]>();
  private readonly turn = new Map<string, number>(); // step and signature → replays so far

  constructor(graphs: readonly CapturedGraph[]) {
    this.add(graphs);
  }

  add(graphs: readonly CapturedGraph[]): void {
    for (const graph of graphs) {
      this.graphs.push(graph);
      const signature = signatureOf(graph.kernels.map((kernel) => kernel.name));
      this.bySignature.set(signature, [...(this.bySignature.get(signature) ?? []), graph]);
    }
  }

  // `names`: the replay's kernels in order. Per kernel the captured launch; undefined where there is none.
  match(names: readonly string[], step: number, batch: number): (CapturedKernel | undefined)[] {
    const signature = signatureOf(names);
    const fitting = this.bySignature.get(signature);
    const named = fitting !== undefined;
    const alike = fitting ?? this.graphs.filter(({ kernels }) => kernels.length === names.length && kernels.every((kernel) => kernel.name === ""));
    if (alike.length === 0) return this.partly(names);
    const sized = alike.filter((graph) => batch > 0 && graph.batch === batch);
    const candidates = sized.length > 0 ? sized : alike;
    const key = `${step}\0${signature}`;
    const turn = this.turn.get(key) ?? 0;
    this.turn.set(key, turn + 1);
    const { kernels } = candidates[turn % candidates.length]!;
    return named ? byName(kernels, names) : kernels.slice();
  }

  // No graph fits whole: the one that shares most kernels, for the names it has equally often.
  private partly(names: readonly string[]): (CapturedKernel | undefined)[] {
    const counts = countsOf(names);
    let best: CapturedGraph | undefined;
    let most = 0;
    for (const graph of this.graphs) {
      const own = countsOf(graph.kernels.map((kernel) => kernel.name));
      let shared = 0;
      for (const [name, count] of counts) if (name !== "" && own.get(name) === count) shared += count;
      if (shared > most) [best, most] = [graph, shared];
    }
    if (best === undefined) return names.map(() => undefined);
    const own = countsOf(best.kernels.map((kernel) => kernel.name));
    return byName(best.kernels.filter(({ name }) => own.get(name) === counts.get(name)), names);
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

function signatureOf(names: readonly string[]): string {
  return [...countsOf(names)].map(([name, count]) => `${name}\0${count}`).sort().join("\n");
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
