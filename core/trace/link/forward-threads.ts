// Which thread of the file autograd means by the number of a thread in "Fwd thread id": its own count. Learned from the profiler's forward–backward arrows, else from
// where autograd's numbers meet most often. Numbers only grow, and a file is cut between them: a number's forward is in the stretch of its backward or in none.
import { limits } from "#schema/limits.ts";
import type { TraceTables } from "./trace-tables.ts";

type Votes = { arrows: number; meetings: number }; // an arrow outweighs all meetings
type Numbers = ReadonlyMap<number, number>; // autograd number → the last operator that carried it, a row of calls

export class ForwardThreads {
  private readonly votes = new Map<number, Map<number, Votes>>(); // process and autograd's number of a thread → thread of the file
  private readonly told = new Map<number, number>(); // the same → the thread an answer was taken from
  private contradicted = false; // two stretches were told two threads
  // Of the stretch of the file learned last:
  private forwards: ReadonlyMap<number, Numbers> = new Map(); // thread → its forward operators
  private holders: ReadonlyMap<number, ReadonlyMap<number, number[]>> = new Map(); // process → autograd number → threads that have it

  // `complete`: the votes of all stretches are in.
  learn(tables: TraceTables, complete: boolean): void {
    this.forwards = forwardOperators(tables);
    this.holders = holdersOf(tables, this.forwards);
    if (!complete) this.addVotes(tables);
  }

  // Row of the forward operator of a backward operator; -1 = none.
  forwardOf(process: number, forwardThread: number, number: number): number {
    if (this.holders.get(process)?.get(number) === undefined) return -1; // whichever thread is meant
    const key = keyOf(process, forwardThread);
    const thread = this.threadOf(key);
    const told = this.told.get(key);
    if (told === undefined) this.told.set(key, thread);
    else if (told !== thread) this.contradicted = true;
    return this.forwards.get(thread)?.get(number) ?? -1;
  }

  // A thread was told that votes since have changed.
  get outdated(): boolean {
    return this.contradicted || [...this.told].some(([key, thread]) => this.threadOf(key) !== thread);
  }

  // Of threads with as many votes, the first in the file; -1 = none has one.
  private threadOf(key: number): number {
    let best = -1;
    let most: Votes = { arrows: 0, meetings: 0 };
    for (const [thread, votes] of this.votes.get(key) ?? []) {
      const ahead = votes.arrows - most.arrows || votes.meetings - most.meetings;
      if (best < 0 || ahead > 0 || (ahead === 0 && thread < best)) [best, most] = [thread, votes];
    }
    return best;
  }

  private addVotes(tables: TraceTables): void {
    const { calls, sequences, threads } = tables;
    const arrowAt = arrowStarts(tables);
    for (let i = 0; i < sequences.call.length; i++) {
      const forwardThread = sequences.forwardThread.values[i]!;
      if (forwardThread <= 0) continue;
      const row = sequences.call.values[i]!;
      const number = sequences.number.values[i]!;
      const thread = calls.thread.values[row]!;
      const { process } = threads[thread]!;
      const key = keyOf(process, forwardThread);
      const from = arrowAt.get(thread)?.get(calls.start.values[row]!);
      if (from !== undefined && this.forwards.get(from)?.has(number)) this.vote(key, from).arrows++;
      const candidates = this.holders.get(process)?.get(number) ?? [];
      if (candidates.length <= limits.traceNumberHoldersMax) for (const candidate of candidates) this.vote(key, candidate).meetings++;
    }
  }

  private vote(key: number, thread: number): Votes {
    let ofKey = this.votes.get(key);
    if (ofKey === undefined) this.votes.set(key, (ofKey = new Map()));
    let votes = ofKey.get(thread);
    if (votes === undefined) ofKey.set(thread, (votes = { arrows: 0, meetings: 0 }));
    return votes;
  }
}

function keyOf(process: number, forwardThread: number): number {
  return process * 2 ** 26 + forwardThread;
}

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

function holdersOf({ threads }: TraceTables, forwards: ReadonlyMap<number, Numbers>): Map<number, Map<number, number[]>> {
  const holders = new Map<number, Map<number, number[]>>();
  for (const [thread, numbers] of forwards) {
    const ofProcess = holders.get(threads[thread]!.process) ?? new Map<number, number[]>();
    holders.set(threads[thread]!.process, ofProcess);
    for (const number of numbers.keys()) {
      const known = ofProcess.get(number);
      if (known === undefined) ofProcess.set(number, [thread]);
      else known.push(thread);
    }
  }
  return holders;
}

// Thread → time of an arrow's end there → thread of its start. Processes number their arrows alike.
function arrowStarts({ flows, threads }: TraceTables): Map<number, Map<number, number>> {
  const startOfArrow = new Map<number, number>(); // process and flow id → thread
  const arrowOf = (i: number): number => threads[flows.thread.values[i]!]!.process * 2 ** 26 + flows.id.values[i]!;
  for (let i = 0; i < flows.id.length; i++) if (flows.isEnd.values[i] === 0) startOfArrow.set(arrowOf(i), flows.thread.values[i]!);
  const arrowAt = new Map<number, Map<number, number>>();
  for (let i = 0; i < flows.id.length; i++) {
    const from = flows.isEnd.values[i] === 1 ? startOfArrow.get(arrowOf(i)) : undefined;
    if (from === undefined) continue;
    const ends = arrowAt.get(flows.thread.values[i]!) ?? new Map<number, number>();
    arrowAt.set(flows.thread.values[i]!, ends.set(flows.start.values[i]!, from));
  }
  return arrowAt;
}
