// The backward pass: which forward operator a backward operator belongs to. Autograd numbers every node it records; the node's operator and the one that
// computes its gradient carry the same number, counted per thread (forward-threads.ts).
// An operator notes the next number before it runs, so those that record nothing carry it too: the last one with a number is the one that made the node.
// AccumulateGrad has no number. It runs right after the node that produced its gradient (the engine gives it the highest priority), so it belongs where that does.
// What it sets off when a bucket is full is not: DistributedDataParallel reduces the gradients of many modules at once (on a real ResNet-18, half the GPU time).
import type { ForwardThreads } from "./forward-threads.ts";
import type { Nesting } from "./nest.ts";
import { callKinds } from "./calls.ts";
import type { TextTable } from "../read/text-table.ts";
import type { TraceTables } from "./trace-tables.ts";

export const engineCall = "autograd::engine::evaluate_function: ";
export function accumulates(name: string): boolean {
  return name.includes("AccumulateGrad");
}

const collectiveCall = /^(nccl|rccl|gloo|mpi|ucc|c10d|record_param_comms)\b/;

export class BackwardLinks {
  readonly forwardOf = new Map<number, number>(); // operator of a backward node → its forward operator, both rows of calls
  readonly within: Int32Array; // row → the backward operator of forwardOf around it (or itself), with no module between; -1 = none
  readonly backward: Uint8Array; // row → 1 inside the backward pass, linked or not
  readonly bucketOf = new Map<number, number>(); // outermost call of a collective over gradients → the accumulation that set it off
  readonly inBucket: Uint8Array; // row → 1 in such a collective
  accumulated = 0; // gradients accumulated that were placed by order
  unlinked = 0; // backward operators without their forward operator

  // `threads`: has learned from these tables.
  constructor(tables: TraceTables, nesting: Nesting, texts: TextTable, threads: ForwardThreads) {
    const { calls, sequences } = tables;
    const kind = calls.kind.values;
    const thread = calls.thread.values;
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
        forward = threads.forwardOf(tables.threads[current]!.process, sequences.forwardThread.values[at]!, sequences.number.values[at]!);
        last = forward;
      } else if (last >= 0 && accumulates(texts.text(calls.name.values[row]!))) {
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
