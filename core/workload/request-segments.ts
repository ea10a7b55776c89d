// What a request did when, as far as its file tells: it waited in the queue, its prompt was read (prefill), its answer was written (decode). `first` is time to the first
// token that the file does not divide, or the rest of it beside queue and prefill.
import type { Requests } from "./requests.ts";

export const segmentKinds = ["queue", "prefill", "first", "decode"] as const;
export type SegmentKind = (typeof segmentKinds)[number];
export type Segment = { readonly kind: SegmentKind; readonly fromUs: number; readonly toUs: number }; // since the request was sent

// In order of time, without a gap from 0 to the latency; empty when the file gives no time of the request.
export function requestSegments({ queueUs, prefillUs, ttftUs, latencyUs }: Requests, row: number): Segment[] {
  const [queue, prefill, ttft, latency] = [queueUs[row]!, prefillUs[row]!, ttftUs[row]!, latencyUs[row]!];
  const segments: Segment[] = [];
  let at = 0;
  const until = (kind: SegmentKind, toUs: number) => {
    if (Number.isNaN(toUs) || toUs <= at) return;
    segments.push({ kind, fromUs: at, toUs });
    at = toUs;
  };
  // Parts of TTFT by another clock may be longer than it: TTFT is what the client saw.
  const within = (us: number) => (Number.isNaN(ttft) ? us : Math.min(us, ttft));
  until("queue", within(queue));
  until("prefill", within(at + prefill));
  until("first", ttft);
  until(Number.isNaN(ttft) ? "first" : "decode", latency);
  return segments;
}
