// An evented profile as weighted stacks: between two events the time belongs to the frames that are open. The format demands that frames close in the order
// they were opened and are all closed at the end; a file that breaks it cannot be read one way only, so the answer is what is wrong with it.
import { numberOf, objectsOf } from "../json-fields.ts";
import type { SpeedscopeProfile } from "./read-speedscope.ts";

export function eventedStacks({ events, startValue }: SpeedscopeProfile, add: (frames: number[], weight: number) => void): string | undefined {
  const open: number[] = [];
  let last = numberOf(startValue);
  for (const [i, { type, frame = -1, at = Number.NaN }] of objectsOf(events).entries()) {
    const where = `(event ${i + 1})`;
    if (!(at >= last)) return `goes back in time: ${at} after ${last} ${where}`;
    if (at > last && open.length > 0) add(open.slice(), at - last);
    last = at;
    if (type === "O") open.push(frame);
    else if (type !== "C") return `has an event of the unknown type ${JSON.stringify(type)} ${where}`;
    else if (open.pop() !== frame) return `closes a frame that is not the last one opened ${where}`;
  }
  return open.length > 0 ? `is incomplete: ${open.length} frames are never closed` : undefined;
}
