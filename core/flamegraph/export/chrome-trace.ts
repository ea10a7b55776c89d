// Chrome trace JSON, for Perfetto and chrome://tracing: the flamegraph laid out as nested slices, the root's children first and the heaviest first, on one track.
// Left to right is no order in time, and the file says so. One count is drawn as 1 µs where the profile counts.
// Slices are pairs of begin and end, not complete events: readers make nanoseconds of the decimal microseconds by way of doubles, which may be 1 ns short. A start and
// a duration that are each rounded would overlap the next slice, and Perfetto drops those; of equal times equal texts stay equal. The end names its slice, because
// speedscope asks for it.
// What has no value has no width and is left out. `displayTimeUnit` is not written: older Perfetto takes it for the unit of `ts`.
import { profileTypes } from "#schema/frame-kinds.ts";
import type { Frame } from "../stacks.ts";
import type { ExportSource } from "./export-source.ts";
import { noName, type ProfileTree } from "./profile-tree.ts";

const track = '"pid":1,"tid":1';

export function* chromeTraceParts({ profileType, frames, parent, frame, self, total, count }: ProfileTree, { title, notes }: ExportSource): Generator<string> {
  const { unit, label } = profileTypes[profileType];
  const moment = unit === "ns" ? decimalMicros : String;
  const about = { title, profileType, layout: "Aggregate: widths are sums, left to right is no order in time", ...(unit === "ns" ? {} : { unit: "1 µs is drawn for each count" }), notes: notes.join(" ") };
  yield `{"otherData":${JSON.stringify(about)},"traceEvents":[\n`;
  yield `{"ph":"M","name":"process_name","pid":1,"args":{"name":${JSON.stringify(`Lamella: ${label}`)}}},\n`;
  yield `{"ph":"M","name":"thread_name",${track},"args":{"name":"aggregate, not a timeline"}}`;
  const described = frames.map(frameFields);
  const open = [{ node: 0, next: 0n, end: total[0] ?? 0n, name: "" }]; // next: where the next child begins
  for (let node = 1; node < parent.length; node++) {
    if (total[node] === 0n) continue;
    while (open.at(-1)!.node !== parent[node]) yield ending(open.pop()!);
    const above = open.at(-1)!;
    const start = above.next;
    above.next += total[node]!;
    const { name, category, args } = described[frame[node]!]!;
    open.push({ node, next: start, end: above.next, name });
    yield `,\n{"ph":"B",${track},"ts":${moment(start)},"name":${name},"cat":"${category}","args":{${args}"self":${self[node]!},"calls":${count[node]!}}}`;
  }
  while (open.length > 1) yield ending(open.pop()!);
  yield "\n]}\n";

  function ending({ end, name }: { end: bigint; name: string }): string {
    return `,\n{"ph":"E",${track},"ts":${moment(end)},"name":${name}}`;
  }
}

function decimalMicros(ns: bigint): string {
  const nanos = ns % 1000n;
  return nanos === 0n ? String(ns / 1000n) : `${ns / 1000n}.${String(nanos).padStart(3, "0")}`;
}

function frameFields({ kind, name, file, line, mapping, modulePath, moduleClass }: Frame): { name: string; category: string; args: string } {
  const args = { module: modulePath, class: moduleClass, file: file !== "" && line > 0 ? `${file}:${line}` : file, mapping };
  const set = Object.entries(args).filter(([, value]) => value !== "");
  return { name: JSON.stringify(name || noName), category: kind, args: set.map(([key, value]) => `"${key}":${JSON.stringify(value)},`).join("") };
}
