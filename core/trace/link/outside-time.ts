// When a host call that lies in no module ran: before the file's first module call, between calls, or after the last. Known for certain only at the end of the file:
// what comes after all modules of a stretch may still lie before those of the next.
import type { OutsidePlace } from "../execution.ts";
import { callKinds } from "./calls.ts";
import type { Stretch } from "./stretch.ts";

export class OutsideTime {
  private seen = false; // a module call, in an earlier stretch
  private first = Number.POSITIVE_INFINITY; // of the stretch begun last, ns
  private last = Number.NEGATIVE_INFINITY;

  // Answers whether the stretch has module calls: then what was after all modules so far lies between.
  begin({ calls }: Stretch, takes: (row: number) => boolean): boolean {
    this.seen ||= this.first < Number.POSITIVE_INFINITY;
    this.first = Number.POSITIVE_INFINITY;
    this.last = Number.NEGATIVE_INFINITY;
    const kind = calls.kind.values;
    for (let row = 0; row < calls.length; row++) {
      if (kind[row] !== callKinds.module || !takes(row)) continue;
      this.first = Math.min(this.first, calls.start.values[row]!);
      this.last = Math.max(this.last, calls.end.values[row]!);
    }
    return this.first < Number.POSITIVE_INFINITY;
  }

  get hasModules(): boolean {
    return this.seen || this.first < Number.POSITIVE_INFINITY;
  }

  of(startNs: number): OutsidePlace {
    if (this.seen) return startNs < this.last ? "between" : "after";
    return startNs < this.first ? "before" : startNs < this.last ? "between" : "after";
  }
}
