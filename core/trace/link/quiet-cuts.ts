// Where a large trace may be cut into stretches (stretch.ts): places in the order of the file where everything before is over when everything after begins, and
// nothing after belongs to a launch or a forward operator before. Found by reading the file once more than needed; remembered are only the places that still
// hold, a stack: what comes later and reaches back before a place takes it away.
// Graphs that the file shows being captured must be known wherever they are replayed: there is no place before the end of a capture.
// A file that the profiler wrote in one go has all operators first, then all Python calls, then all kernels: it has no such place, and is one stretch.
import { captureEnd } from "./captured-graphs.ts";
import { categories, categoryOf, type Category } from "./event-category.ts";
import { phaseComplete, type TraceEvent } from "../read/trace-event.ts";
import type { TextTable } from "../read/text-table.ts";

export type Cut = {
  event: number; // the first one after it, counted from 0
  kernelsFrom: number; // µs; no kernel after it starts earlier
};

type Place = Cut & {
  until: number; // µs; every call before it is over
  correlation: number; // the highest launched or run before it
  sequence: number; // the highest autograd number before it
};

export class QuietCuts {
  private readonly places: Place[] = [];
  private readonly texts: TextTable;
  private readonly categoryOfText: Category[] = [];
  private readonly endsCapture: (boolean | undefined)[] = []; // text id of a launch's name
  private events = 0;
  private rows = 0; // since the last place
  private until = Number.NEGATIVE_INFINITY;
  private correlation = 0;
  private sequence = -1;
  private readonly rowsMin: number;

  // `rowsMin`: a stretch shorter than this is not worth a place.
  constructor(texts: TextTable, rowsMin: number) {
    this.texts = texts;
    this.rowsMin = rowsMin;
  }

  add(event: TraceEvent): void {
    const ordinal = this.events++;
    if (event.phase !== phaseComplete || !event.hasStart) return;
    const category = (this.categoryOfText[event.category] ??= categoryOf(this.texts.text(event.category)));
    if (category === categories.other || category === categories.copy || category === categories.forwardBackward) return;
    // Microseconds as doubles: a quarter of one near the epoch, and calls that touch there only cost a place.
    const start = event.start.micros + event.start.nanos / 1000;
    const end = start + (event.hasDuration ? event.duration.micros + event.duration.nanos / 1000 : 0);
    const onGpu = category === categories.kernel;
    const endsCapture = category === categories.launch && (this.endsCapture[event.name] ??= captureEnd.test(this.texts.text(event.name)));
    if (endsCapture) this.places.length = 0;
    const reaches = (place: Place): boolean =>
      (!onGpu && start <= place.until) || (event.correlation > 0 && event.correlation <= place.correlation) || (event.sequence >= 0 && event.sequence <= place.sequence);
    while (this.places.length > 0 && reaches(this.places.at(-1)!)) this.takeAway();
    const last = this.places.at(-1);
    if (onGpu && last !== undefined && start < last.kernelsFrom) last.kernelsFrom = start;
    this.rows++;
    if (!onGpu && !endsCapture && start > this.until && this.rows >= this.rowsMin) {
      const place = { event: ordinal, kernelsFrom: Number.POSITIVE_INFINITY, until: this.until, correlation: this.correlation, sequence: this.sequence };
      // A step of the backward pass may go on with what came right before it, without a number that says so.
      if (!reaches(place) && !this.texts.text(event.name).startsWith("autograd::engine")) {
        this.places.push(place);
        this.rows = 0;
      }
    }
    if (!onGpu && end > this.until) this.until = end;
    if (event.correlation > this.correlation) this.correlation = event.correlation;
    if (event.sequence > this.sequence) this.sequence = event.sequence;
  }

  // Where the file may be cut, in its order.
  cuts(): Cut[] {
    let kernelsFrom = Number.POSITIVE_INFINITY;
    return this.places.toReversed().map((place) => ({ event: place.event, kernelsFrom: (kernelsFrom = Math.min(kernelsFrom, place.kernelsFrom)) })).reverse();
  }

  // The kernels after the last place are after the one before it as well.
  private takeAway(): void {
    const { kernelsFrom } = this.places.pop()!;
    const last = this.places.at(-1);
    if (last !== undefined) last.kernelsFrom = Math.min(last.kernelsFrom, kernelsFrom);
  }
}
