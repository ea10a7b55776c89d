// Where a large trace may be cut into stretches (stretch.ts): places in the order of the file where everything before is over when everything after begins, and
// nothing after belongs to a launch or a forward operator before. Found by reading the file once more than needed; remembered are only the places that still
// hold, a stack: what comes later and reaches back before a place takes it away.
// Graphs that the file shows being captured must be known wherever they are replayed: there is no place before the end of a capture.
// A file that the profiler wrote in one go has all operators first, then all Python calls, then all kernels: it has no such place, and is one stretch.
import { BackwardNodes } from "./backward-nodes.ts";
import { captureEnd } from "./captured-graphs.ts";
import { categories, categoryOf, type Category } from "./event-category.ts";
import { TextMemo } from "./text-memo.ts";
import { phaseComplete, phaseFlowEnd, phaseFlowStart, type TraceEvent } from "../read/trace-event.ts";
import type { TextTable } from "../read/text-table.ts";

export type Cut = {
  event: number; // the first one after it, counted from 0
  kernelsFrom: number; // µs; no kernel after it starts earlier
};

// Exact: near the epoch a double of microseconds is a quarter of one off, and a call may last less.
export type Instant = { micros: number; nanos: number }; // nanos: 0 … 999

type Place = Cut & {
  until: Instant; // every call before it is over
  correlation: number; // the highest launched or run before it
  sequence: number; // the highest autograd number before it
  arrow: number; // the highest id of an arrow before it
};

export class QuietCuts {
  private readonly places: Place[] = [];
  private readonly texts: TextTable;
  private readonly category: TextMemo<Category>;
  private readonly endsCapture: TextMemo<0 | 1>; // of a launch's name
  private readonly nodes: BackwardNodes;
  private events = 0;
  private rows = 0; // since the last place
  private until: Instant = { micros: Number.NEGATIVE_INFINITY, nanos: 0 };
  private correlation = 0;
  private sequence = -1;
  private arrow = -1;
  private readonly rowsMin: number;

  // `rowsMin`: a stretch shorter than this is not worth a place.
  constructor(texts: TextTable, rowsMin: number) {
    this.texts = texts;
    this.category = new TextMemo(texts, categoryOf);
    this.endsCapture = new TextMemo(texts, (name) => (captureEnd.test(name) ? 1 : 0));
    this.rowsMin = rowsMin;
    this.nodes = new BackwardNodes(texts);
  }

  add(event: TraceEvent): void {
    const ordinal = this.events++;
    const category = this.category.of(event.category);
    if (category === categories.forwardBackward) return this.addArrow(event);
    if (event.phase !== phaseComplete || category === categories.other || category === categories.copy) return;
    if (category === categories.kernel) return this.addKernel(event);
    if (!event.hasStart) return;
    const start = instant(event.start.micros, event.start.nanos);
    const lasts = event.hasDuration && (event.duration.micros > 0 || event.duration.nanos > 0);
    const end = lasts ? instant(start.micros + event.duration.micros, start.nanos + event.duration.nanos) : start;
    const endsCapture = category === categories.launch && this.endsCapture.of(event.name) === 1;
    if (endsCapture) this.places.length = 0;
    // Gradients accumulated without a node of their own stretch before them belong to one of a stretch before.
    const nodeFrom = category === categories.op ? this.nodes.add(event, ordinal, start) : Number.POSITIVE_INFINITY;
    const reaches = (place: Place): boolean => !isAfter(start, place.until) || place.event > nodeFrom || this.belongs(event, place);
    while (this.places.length > 0 && reaches(this.places.at(-1)!)) this.takeAway();
    this.rows++;
    if (!endsCapture && this.rows >= this.rowsMin) {
      const { until, correlation, sequence, arrow } = this;
      const place = { event: ordinal, kernelsFrom: Number.POSITIVE_INFINITY, until, correlation, sequence, arrow };
      if (!reaches(place)) {
        this.places.push(place);
        this.rows = 0;
      }
    }
    if (isAfter(end, this.until)) this.until = end;
    this.note(event);
  }

  // Where the file may be cut, in its order.
  cuts(): Cut[] {
    let kernelsFrom = Number.POSITIVE_INFINITY;
    return this.places.toReversed().map((place) => ({ event: place.event, kernelsFrom: (kernelsFrom = Math.min(kernelsFrom, place.kernelsFrom)) })).reverse();
  }

  // Kernels run whenever they run: only their ids say where they belong.
  private addKernel(event: TraceEvent): void {
    while (this.places.length > 0 && this.belongs(event, this.places.at(-1)!)) this.takeAway();
    const last = this.places.at(-1);
    if (last !== undefined && event.hasStart) last.kernelsFrom = Math.min(last.kernelsFrom, event.start.micros + event.start.nanos / 1000);
    this.rows++;
    this.note(event);
  }

  // Both ends of an arrow and the operators they point at stay together: by time, and by id, which grows with the backward pass.
  private addArrow(event: TraceEvent): void {
    if ((event.phase !== phaseFlowStart && event.phase !== phaseFlowEnd) || !event.hasStart || event.flow === 0) return;
    const at = instant(event.start.micros, event.start.nanos);
    const written = Number(this.texts.text(event.flow));
    const id = Number.isSafeInteger(written) ? written : -1;
    while (this.places.length > 0 && (!isAfter(at, this.places.at(-1)!.until) || id <= this.places.at(-1)!.arrow)) this.takeAway();
    if (isAfter(at, this.until)) this.until = at;
    this.arrow = Math.max(this.arrow, id);
  }

  private belongs({ correlation, sequence }: TraceEvent, place: Place): boolean {
    return (correlation > 0 && correlation <= place.correlation) || (sequence >= 0 && sequence <= place.sequence);
  }

  private note({ correlation, sequence }: TraceEvent): void {
    if (correlation > this.correlation) this.correlation = correlation;
    if (sequence > this.sequence) this.sequence = sequence;
  }

  // The kernels after the last place are after the one before it as well.
  private takeAway(): void {
    const { kernelsFrom } = this.places.pop()!;
    const last = this.places.at(-1);
    if (last !== undefined) last.kernelsFrom = Math.min(last.kernelsFrom, kernelsFrom);
  }
}

function instant(micros: number, nanos: number): Instant {
  const carried = Math.floor(nanos / 1000);
  return { micros: micros + carried, nanos: nanos - carried * 1000 };
}

export function isAfter(one: Instant, other: Instant): boolean {
  return one.micros > other.micros || (one.micros === other.micros && one.nanos > other.nanos);
}
