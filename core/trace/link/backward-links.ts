// The backward pass: which forward operator a backward operator belongs to. Autograd numbers every node it records; the node's operator and the one that
// computes its gradient carry the same number, counted per thread. The number of a thread in "Fwd thread id" is autograd's own: which thread of the file it
// means is learned from the profiler's forward–backward arrows, else from where the numbers meet most often.
// An operator notes the next number before it runs, so those that record nothing carry it too: the last one with a number is the one that made the node.
// AccumulateGrad has no number. It runs right after the node that produced its gradient (the engine gives it the highest priority), so it belongs where that does.
// What it sets off when a bucket is full is not: DistributedDataParallel reduces the gradients of many modules at once (on a real ResNet-18, half the GPU time).
import { limits } from "#schema/limits.ts";
import type { Nesting } from "./nest.ts";
import { callKinds } from "./calls.ts";
import type { TextTable } from "../read/text-table.ts";
import type { TraceTables } from "./trace-tables.ts";

const engineCall = "autograd::engine::evaluate_function: ";
const collectiveCall = /^(nccl|rccl|gloo|mpi|ucc|c10d|record_param_comms)\b/;

export class BackwardLinks {
  readonly forwardOf = new Map<number, number>(); // operator of a backward node → its forward operator, both rows of calls
  readonly within: Int32Array; // row → the backward operator of forwardOf around it (or itself), with no module between; -1 = none
  readonly backward: Uint8Array; // row → 1 inside the backward pass, linked or not
  readonly bucketOf = new Map<number, number>(); // outermost call of a collective over gradients → the accumulation that set it off
  readonly inBucket: Uint8Array; // row → 1 in such a collective
  accumulated = 0; // gradients accumulated that were placed by order
  unlinked = 0; // backward operators without their forward operator

  constructor(tables: TraceTables, nesting: Nesting, texts: TextTable) {
    const { calls, sequences } = tables;
    const kind = calls.kind.values;
    const thread = calls.thread.values;
    const forwards = forwardOperators(tables);
    const threadOf = forwardThreads(tables, forwards);
    const numbered = new Map<number, number>(); // row → row of sequences, of backward operators
    for (let i = 0; i < sequences.call.length; i++) if (sequences.forwardThread.values[i]! > 0) numbered.set(sequences.call.values[i]!, i);
    this.within = new Int32Array(calls.length).fill(-1);
    this.backward = new Uint8Array(calls.length);
    this.inBucket = new Uint8Array(calls.length);
    const accumulations = new Set<number>();
    let last = -1; // forward of the last node of this thread
    let current = -1;
    for (const row of nesting.order) {
      if (thread[row] !== current) {
        current = thread[row]!;
        last = -1;
      }
      const parent = nesting.parent[row]!;
      if (parent >= 0) {
        this.backward[row] = this.backward[parent]!;
        this.inBucket[row] = this.inBucket[parent]!;
        if (kind[row] !== callKinds.module) this.within[row] = this.within[parent]!;
        if (accumulations.has(this.within[row]!) && collectiveCall.test(texts.text(calls.name.values[row]!))) {
          this.bucketOf.set(row, this.within[row]!);
          this.inBucket[row] = 1;
          this.within[row] = -1;
        }
      }
      if (kind[row] !== callKinds.op) continue;
      const at = numbered.get(row);
      const isEngine = texts.text(calls.name.values[row]!).startsWith(engineCall);
      // A node inside another is a backward pass of its own: of what reentrant checkpointing just computed again.
      const inside = this.within[row]! >= 0 || (parent >= 0 && this.backward[parent] === 1);
      if (!isEngine && (at === undefined || inside)) continue;
      this.backward[row] = 1;
      let forward = -1;
      if (at !== undefined) {
        const process = tables.threads[current]!.process;
        const numbers = forwards.get(threadOf.get(process * 2 ** 26 + sequences.forwardThread.values[at]!) ?? -1);
        forward = numbers?.get(sequences.number.values[at]!) ?? -1;
        last = forward;
      } else if (last >= 0 && texts.text(calls.name.values[row]!).includes("AccumulateGrad")) {
        forward = last;
        accumulations.add(row);
      }
      // A forward that starts later is no forward: links go strictly back in time, so that following them ends.
      if (forward < 0 || calls.start.values[forward]! >= calls.start.values[row]!) {
        if (!inside) this.unlinked++;
      } else {
        if (accumulations.has(row)) this.accumulated++;
        this.forwardOf.set(row, forward);
        this.within[row] = row;
      }
    }
  }
}

// Thread → autograd number → the last operator that carried it.
function forwardOperators({ calls, sequences }: TraceTables): Map<number, Map<number, number>> {
  const byThread = new Map<number, Map<number, number>>();
  for (let i = 0; i < sequences.call.length; i++) {
    if (sequences.forwardThread.values[i]! > 0) continue;
    const row = sequences.call.values[i]!;
    const thread = calls.thread.values[row]!;
    let rows = byThread.get(thread);
    if (rows === undefined) byThread.set(thread, (rows = new Map()));
    const number = sequences.number.values[i]!;
    const known = rows.get(number);
    if (known === undefined || calls.start.values[known]! <= calls.start.values[row]!) rows.set(number, row);
  }
  return byThread;
}

// Process and autograd's number of a thread → the thread of the file.
function forwardThreads(tables: TraceTables, forwards: Map<number, Map<number, number>>): Map<number, number> {
  const { calls, sequences, flows, threads } = tables;
  const votes = new Map<number, Map<number, number>>();
  const vote = (key: number, thread: number, weight: number): void => {
    const counts = votes.get(key) ?? new Map<number, number>();
    votes.set(key, counts.set(thread, (counts.get(thread) ?? 0) + weight));
  };
  const startOfArrow = new Map<number, number>(); // process and flow id → thread; processes number their arrows alike
  const arrowOf = (i: number): number => threads[flows.thread.values[i]!]!.process * 2 ** 26 + flows.id.values[i]!;
  for (let i = 0; i < flows.id.length; i++) if (flows.isEnd.values[i] === 0) startOfArrow.set(arrowOf(i), flows.thread.values[i]!);
  const arrowAt = new Map<number, Map<number, number>>(); // thread → time of the arrow's end → thread of its start
  for (let i = 0; i < flows.id.length; i++) {
    const from = flows.isEnd.values[i] === 1 ? startOfArrow.get(arrowOf(i)) : undefined;
    if (from === undefined) continue;
    const ends = arrowAt.get(flows.thread.values[i]!) ?? new Map<number, number>();
    arrowAt.set(flows.thread.values[i]!, ends.set(flows.start.values[i]!, from));
  }
  const holders = new Map<number, Map<number, number[]>>(); // process → autograd number → threads that have it
  for (const [thread, numbers] of forwards) {
    const ofProcess = holders.get(threads[thread]!.process) ?? new Map<number, number[]>();
    holders.set(threads[thread]!.process, ofProcess);
    for (const number of numbers.keys()) {
      const known = ofProcess.get(number);
      if (known === undefined) ofProcess.set(number, [thread]);
      else known.push(thread);
    }
  }
  for (let i = 0; i < sequences.call.length; i++) {
    const forwardThread = sequences.forwardThread.values[i]!;
    if (forwardThread <= 0) continue;
    const row = sequences.call.values[i]!;
    const thread = calls.thread.values[row]!;
    const { process } = threads[thread]!;
    const key = process * 2 ** 26 + forwardThread;
    const from = arrowAt.get(thread)?.get(calls.start.values[row]!);
    if (from !== undefined && forwards.get(from)?.has(sequences.number.values[i]!)) vote(key, from, sequences.call.length); // an arrow outweighs all meetings
    const candidates = holders.get(process)?.get(sequences.number.values[i]!) ?? [];
    if (candidates.length <= limits.traceNumberHoldersMax) for (const candidate of candidates) vote(key, candidate, 1);
  }
  return new Map([...votes].map(([key, counts]) => [key, [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0]]));
}
