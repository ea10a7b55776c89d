// A trace repeated in time, as a longer recording of the same process would be: times, correlation and Python ids go on growing. Written as a stream: the file
// is far larger than memory.
import { once } from "node:events";
import { createWriteStream } from "node:fs";

type Event = { ph?: string; ts?: number; dur?: number; args?: { correlation?: number; "Python id"?: number } };

export async function writeCopies(text: string, copies: number, path: string): Promise<number> {
  const events: Event[] = JSON.parse(text).traceEvents;
  const spans = events.filter((event) => event.ph === "X");
  const most = (of: (event: Event) => number | undefined): number => spans.reduce((max, event) => Math.max(max, of(event) ?? 0), 0);
  const start = spans.reduce((min, event) => Math.min(min, event.ts ?? min), Number.POSITIVE_INFINITY);
  const growth: Record<string, number> = {
    ts: Math.ceil(most((event) => (event.ts ?? 0) + (event.dur ?? 0)) - start) + 1000, correlation: most((event) => event.args?.correlation) + 1, "Python id": most((event) => event.args?.["Python id"]) + 1,
  };
  const open = text.indexOf('"traceEvents"');
  const first = text.indexOf("[", open) + 1;
  const last = text.lastIndexOf("]");
  const body = text.slice(first, last);
  const out = createWriteStream(path);
  let bytes = 0;
  const write = async (piece: string): Promise<void> => {
    bytes += Buffer.byteLength(piece);
    if (!out.write(piece)) await once(out, "drain");
  };
  await write(text.slice(0, first));
  for (let copy = 0; copy < copies; copy++) {
    if (copy > 0) await write(",");
    const grown = copy === 0 ? body : body.replace(/"(ts|correlation|Python id|Python parent id)": (-?\d+)/g, (_, key: string, value: string) =>
      `"${key}": ${value === "0" ? value : Number(value) + copy * growth[key === "Python parent id" ? "Python id" : key]!}`,
    );
    for (let at = 0; at < grown.length; at += 1 << 20) await write(grown.slice(at, at + (1 << 20)));
  }
  await write(text.slice(last));
  out.end();
  await once(out, "finish");
  return bytes;
}
