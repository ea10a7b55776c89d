// Begin and end events (ph B, E) → calls with a duration. Events are kept as they come and paired when all are there, per thread in order of time (files are
// written out of order), equal times in file order. An end closes the innermost open call of its name; one without a name the innermost of all. What is still
// open ends with the last event of its thread; an end that nothing began is left out. Both are counted.
import { Float64Column, Int32Column } from "../link/columns.ts";

export type PairedCall = (thread: number, name: number, startNs: number, endNs: number) => void;

export class BeginEnd {
  unended = 0;
  unbegun = 0;
  private readonly at = new Float64Column(); // ns
  private readonly name = new Int32Column(); // text id; 0 = none
  private readonly thread = new Int32Column();
  private readonly isEnd = new Int32Column();
  private readonly lastOfThread = new Map<number, number>();

  get length(): number {
    return this.at.length;
  }

  add(isEnd: boolean, thread: number, name: number, atNs: number): void {
    this.at.push(atNs);
    this.name.push(name);
    this.thread.push(thread);
    this.isEnd.push(isEnd ? 1 : 0);
    this.until(thread, atNs);
  }

  // Any other event of the thread that ends then: an open call lasts at least as long.
  until(thread: number, endNs: number): void {
    if (endNs > (this.lastOfThread.get(thread) ?? Number.NEGATIVE_INFINITY)) this.lastOfThread.set(thread, endNs);
  }

  pair(call: PairedCall): void {
    const { at, name, thread, isEnd } = { at: this.at.values, name: this.name.values, thread: this.thread.values, isEnd: this.isEnd.values };
    const order = Uint32Array.from({ length: this.length }, (_, row) => row).sort((a, b) => thread[a]! - thread[b]! || at[a]! - at[b]! || a - b);
    let open: number[] = []; // rows of begin events, outermost first
    let early: number[] = []; // rows of ends at the present time that nothing began yet: their begin may follow with the same time
    for (const [i, row] of order.entries()) {
      const before = i > 0 ? order[i - 1]! : row;
      if (thread[before] !== thread[row]) open = this.closeAll(open, call);
      if (thread[before] !== thread[row] || at[before] !== at[row]) early = this.give(early);
      if (isEnd[row] === 0) {
        const match = early.findIndex((end) => name[end] === name[row]);
        if (match < 0) open.push(row);
        else call(thread[row]!, name[row]!, at[row]!, at[early.splice(match, 1)[0]!]!);
        continue;
      }
      const depth = name[row] === 0 ? open.length - 1 : open.findLastIndex((begin) => name[begin] === name[row]);
      if (depth < 0) early.push(row);
      else {
        const [begin] = open.splice(depth, 1);
        call(thread[row]!, name[begin!]!, at[begin!]!, at[row]!);
      }
    }
    this.give(early);
    this.closeAll(open, call);
  }

  private give(early: number[]): number[] {
    this.unbegun += early.length;
    return [];
  }

  private closeAll(open: number[], call: PairedCall): number[] {
    this.unended += open.length;
    for (const row of open) {
      const thread = this.thread.values[row]!;
      call(thread, this.name.values[row]!, this.at.values[row]!, this.lastOfThread.get(thread)!);
    }
    return [];
  }
}
