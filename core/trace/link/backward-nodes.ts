// For cutting a trace (quiet-cuts.ts): from which event on an operator of the backward pass needs what is before it. Gradients are accumulated in the module of the
// node that ran right before them on their thread (backward-links.ts), which only the order says.
import { accumulates, engineCall } from "./backward-links.ts";
import { type Instant, isAfter } from "./quiet-cuts.ts";
import { TextMemo } from "./text-memo.ts";
import type { TextTable } from "../read/text-table.ts";
import type { TraceEvent } from "../read/trace-event.ts";

type Nodes = { first: number; last: number; lastStart: Instant | undefined }; // events; last: of those that count wherever they are nested, -1 = none

export class BackwardNodes {
  private readonly ofThread = new Map<number, Nodes>();
  private readonly roles: TextMemo<0 | 1 | 2>; // of an operator's name: 0 neither, 1 the engine's call of a node, 2 an accumulation

  constructor(texts: TextTable) {
    this.roles = new TextMemo(texts, roleOf);
  }

  // The event that a place before this operator must not come after; Infinity = any may.
  add(event: TraceEvent, ordinal: number, start: Instant): number {
    const isNode = event.sequence >= 0 && event.forwardThread > 0;
    const role = this.roles.of(event.name);
    if (!isNode && role !== 2) return Number.POSITIVE_INFINITY;
    const thread = event.process * 2 ** 26 + event.thread;
    let nodes = this.ofThread.get(thread);
    if (isNode) {
      if (nodes === undefined) this.ofThread.set(thread, (nodes = { first: ordinal, last: -1, lastStart: undefined }));
      if (role !== 0) [nodes.last, nodes.lastStart] = [ordinal, start];
      return Number.POSITIVE_INFINITY;
    }
    if (nodes === undefined) return Number.POSITIVE_INFINITY;
    return nodes.lastStart !== undefined && isAfter(start, nodes.lastStart) ? nodes.last : nodes.first;
  }
}

function roleOf(name: string): 0 | 1 | 2 {
  if (!name.startsWith(engineCall)) return 0;
  return accumulates(name) ? 2 : 1;
}
