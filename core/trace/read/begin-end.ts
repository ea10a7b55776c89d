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

  // Calls come as they begin: of those that begin and end together the outer one first. Linear but for sorting: a trace cut short has hundreds of thousands of begin
  // events that nothing ends.
  pair(call: PairedCall): void {
    const { at, name, thread, isEnd } = { at: this.at.values, name: this.name.values, thread: this.thread.values, isEnd: this.isEnd.values };
    const order = Uint32Array.from({ length: this.length }, (_, row) => row).sort((a, b) => thread[a]! - thread[b]! || at[a]! - at[b]! || a - b);
    const open: number[] = []; // rows of begin events, outermost first; closed ones leave when they come last
    const ofName = new Map<number, number[]>(); // the open ones of a name, outermost first
    const closed = new Uint8Array(this.length);
    const end = new Float64Array(this.length); // row of a begin event → ns
    const early = new Map<number, number>(); // name → ends at the present time that nothing began yet: their begin may follow with the same time
    for (const [i, row] of order.entries()) {
      const before = i > 0 ? order[i - 1]! : row;
      if (thread[before] !== thread[row]) this.closeAll(open, ofName, closed, end);
      if (thread[before] !== thread[row] || at[before] !== at[row]) this.leaveOut(early);
      if (isEnd[row] === 0) {
        const ends = early.get(name[row]!) ?? 0;
        if (ends > 0) {
          early.set(name[row]!, ends - 1);
          end[row] = at[row]!;
          continue;
        }
        open.push(row);
        const alike = ofName.get(name[row]!);
        if (alike === undefined) ofName.set(name[row]!, [row]);
        else alike.push(row);
        continue;
      }
      const begin = ofName.get(name[row] === 0 && open.length > 0 ? name[open.at(-1)!]! : name[row]!)?.pop();
      if (begin === undefined) {
        early.set(name[row]!, (early.get(name[row]!) ?? 0) + 1);
        continue;
      }
      closed[begin] = 1;
      while (open.length > 0 && closed[open.at(-1)!] === 1) open.pop();
      end[begin] = at[row]!;
    }
    this.leaveOut(early);
    this.closeAll(open, ofName, closed, end);
    for (const row of order) if (isEnd[row] === 0) call(thread[row]!, name[row]!, at[row]!, end[row]!);
  }

  private leaveOut(early: Map<number, number>): void {
    for (const ends of early.values()) this.unbegun += ends;
    early.clear();
  }

  private closeAll(open: number[], ofName: Map<number, number[]>, closed: Uint8Array, end: Float64Array): void {
    for (const row of open) {
      if (closed[row] === 1) continue;
      this.unended++;
      end[row] = this.lastOfThread.get(this.thread.values[row]!)!;
    }
    open.length = 0;
    ofName.clear();
  }
}
