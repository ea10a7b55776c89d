// A frame's place in the tree as a short word for the URL: a 64-bit hash of the frames from the root down to it. It names the same frame after a
// reload, in other data and for another reader, as long as that path exists; numbers of nodes do not.
import type { Flamegraph } from "#schema/api/flamegraph.ts";

type Tree = Pick<Flamegraph, "nodes" | "frames">;
export type PathKeys = { readonly high: Uint32Array; readonly low: Uint32Array };

// Made when a frame is first focused or looked for: a flamegraph that is only looked at needs none.
const made = new WeakMap<Tree["nodes"], PathKeys>();

export function pathKeysOf(tree: Tree): PathKeys {
  const keys = made.get(tree.nodes) ?? pathKeys(tree);
  made.set(tree.nodes, keys);
  return keys;
}

export function pathKeys({ nodes, frames }: Tree): PathKeys {
  const ofFrame = frames.name.map((_, frame) => frameText(frames, frame)).map((text) => [hash(text, 0x811c9dc5), hash(text, 0x9e3779b9)] as const);
  const size = nodes.parent.length;
  const keys = { high: new Uint32Array(size), low: new Uint32Array(size) };
  for (let node = 1; node < size; node++) {
    const parent = nodes.parent[node] as number;
    const [high, low] = ofFrame[nodes.frame[node] as number] ?? [0, 0];
    keys.high[node] = mix(keys.high[parent] as number, high);
    keys.low[node] = mix(keys.low[parent] as number, low);
  }
  return keys;
}

export function printPathKey(keys: PathKeys, node: number): string {
  return ((BigInt(keys.high[node] as number) << 32n) | BigInt(keys.low[node] as number)).toString(36);
}

export function findPathKey(keys: PathKeys, text: string): number | undefined {
  let value = 0n;
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  const high = Number((value >> 32n) & 0xffffffffn);
  const low = Number(value & 0xffffffffn);
  for (let node = 1; node < keys.high.length; node++) if (keys.high[node] === high && keys.low[node] === low) return node;
  return undefined;
}

// The same place in another tree of the same data, where frames of the kinds in `skipped` may have come or gone: the heaviest node with the same
// path apart from those, else the deepest ancestor that survived. 0 when none did.
export function samePlace(from: Tree, node: number, to: Tree, end: Int32Array, skipped: ReadonlySet<string>): number {
  const path: string[] = [];
  for (let at = node; at > 0; at = from.nodes.parent[at] as number) {
    const frame = from.nodes.frame[at] as number;
    if (!skipped.has(from.frames.kind[frame] as string)) path.push(frameText(from.frames, frame));
  }
  let places = [0];
  for (const text of path.reverse()) {
    const next = places.flatMap((place) =>
      below(to, place, end, skipped).filter((child) => frameText(to.frames, to.nodes.frame[child] as number) === text),
    );
    if (next.length === 0) break;
    places = next;
  }
  return places.reduce((heaviest, place) => ((to.nodes.total[place] as number) > (to.nodes.total[heaviest] as number) ? place : heaviest));
}

// Children of a node, with frames of skipped kinds replaced by their own children.
function below(tree: Tree, node: number, end: Int32Array, skipped: ReadonlySet<string>): number[] {
  const found: number[] = [];
  for (let child = node + 1; child < (end[node] as number);) {
    if (skipped.has(tree.frames.kind[tree.nodes.frame[child] as number] as string)) child++;
    else {
      found.push(child);
      child = end[child] as number;
    }
  }
  return found;
}

function frameText(frames: Tree["frames"], frame: number): string {
  return [frames.kind[frame], frames.name[frame], frames.file[frame], frames.modulePath[frame], frames.modelKey[frame]].join("\u0000");
}

function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

function mix(above: number, own: number): number {
  let value = Math.imul(above ^ 0x2545f491, 0x85ebca6b) ^ own;
  value = Math.imul(value ^ (value >>> 15), 0xc2b2ae35);
  return (value ^ (value >>> 13)) >>> 0;
}
