// An answer's tree drawn otherwise, in the reader's hands: repeated frames collapsed, chains grouped, kinds taken out. Every transform answers a tree of the
// same columns and where each node went. Invariant: the root's total and count stay; of every node total = self + Σ children's totals, and likewise counts;
// `placeOf[baseOf[node]] === node`. Iterative throughout: a tree may be thousands of frames deep.
import type { Flamegraph, NodeColumns } from "#schema/api/flamegraph.ts";
import { type Frame, compareFrames } from "./stacks.ts";

export type DrawnTree = Pick<Flamegraph, "nodes" | "frames">;
export type ShownTree = {
  readonly nodes: NodeColumns;
  readonly baseOf: Int32Array; // of a shown node: the node of the answer it stands for, one of those it holds
  readonly placeOf: Int32Array; // of a node of the answer: the shown node that holds it
  readonly chain: Int32Array | null; // of a shown node: how many frames it is, one below the other; null: one everywhere
};

// One after the other: `next` was made of what `first` shows.
export function thenShown(first: ShownTree, next: ShownTree): ShownTree {
  return { nodes: next.nodes, baseOf: next.baseOf.map((node) => first.baseOf[node] as number), placeOf: first.placeOf.map((node) => next.placeOf[node] as number), chain: next.chain ?? first.chain };
}

// The row of frames that says "(other)": what was cut below one parent.
export const otherRow = 1;

// Takes nodes out of the tree: what is below one that goes hangs below what was above it, and equal frames beside one another become one.
// `fate` is asked depth-first. merge: the node's own value becomes that of the node above it. apart: its own value stays under its frame, below what was above it.
export function remergeTree({ nodes, frames }: DrawnTree, fate: (node: number) => "stays" | "merges" | "apart"): ShownTree {
  const size = nodes.parent.length;
  const merged = new Merged(size);
  const place = new Int32Array(size); // where the children of a node hang
  const placeOf = new Int32Array(size);
  const selfCount = selfCounts(nodes);
  for (let node = 0; node < size; node++) {
    const above = node === 0 ? -1 : (place[nodes.parent[node] as number] as number);
    const frame = nodes.frame[node] as number;
    const what = node === 0 ? "stays" : fate(node);
    const [self, ownCount] = [nodes.self[node] as number, selfCount[node] as number];
    if (what === "stays") {
      const at = merged.child(above, frame, node);
      place[node] = placeOf[node] = at;
      merged.add(at, nodes.total[node] as number, self, nodes.count[node] as number, nodes.copies[node] as number);
    } else {
      place[node] = placeOf[node] = above;
      if (what === "apart" && merged.frame[above] !== frame && (self > 0 || ownCount > 0)) {
        const at = merged.child(above, frame, node);
        placeOf[node] = at;
        merged.add(at, self, self, ownCount, nodes.copies[node] as number);
      } else merged.self[above] = (merged.self[above] as number) + self;
    }
  }
  return merged.inOrder(frames, placeOf);
}

// Launches or calls of a node that are in none of its children.
function selfCounts({ parent, count }: NodeColumns): Float64Array {
  const own = Float64Array.from(count);
  for (let node = 1; node < parent.length; node++) own[parent[node] as number] = (own[parent[node] as number] as number) - (count[node] as number);
  return own;
}

// The tree that grows: nodes in the order they are first met, found by what is above them and their frame.
class Merged {
  readonly frame: Int32Array;
  readonly self: Float64Array;
  readonly #parent: Int32Array;
  readonly #base: Int32Array;
  readonly #total: Float64Array;
  readonly #count: Float64Array;
  readonly #copies: Float64Array;
  readonly #slots: Int32Array; // open addressing; node + 1
  #size = 0;

  constructor(most: number) {
    [this.frame, this.#parent, this.#base] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)];
    [this.self, this.#total, this.#count, this.#copies] = [new Float64Array(most), new Float64Array(most), new Float64Array(most), new Float64Array(most)];
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2)));
  }

  child(above: number, frame: number, base: number): number {
    const mask = this.#slots.length - 1;
    let slot = Math.imul(Math.imul(above + 1, 0x9e3779b1) ^ frame, 0x85ebca6b);
    slot = (slot ^ (slot >>> 15)) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const node = (this.#slots[slot] as number) - 1;
      if (this.#parent[node] === above && this.frame[node] === frame) return node;
    }
    const node = this.#size++;
    this.#slots[slot] = node + 1;
    this.#parent[node] = above;
    this.frame[node] = frame;
    this.#base[node] = base;
    return node;
  }

  add(node: number, total: number, self: number, count: number, copies: number): void {
    this.#total[node] = (this.#total[node] as number) + total;
    this.self[node] = (this.self[node] as number) + self;
    this.#count[node] = (this.#count[node] as number) + count;
    this.#copies[node] = Math.max(this.#copies[node] as number, copies);
  }

  // Depth-first, heaviest child first, ties by name, "(other)" last.
  inOrder(frames: DrawnTree["frames"], placeOf: Int32Array): ShownTree {
    const size = this.#size;
    const [first, next] = [new Int32Array(size).fill(-1), new Int32Array(size).fill(-1)];
    for (let node = size - 1; node > 0; node--) {
      const above = this.#parent[node] as number;
      next[node] = first[above] as number;
      first[above] = node;
    }
    const order = (a: number, b: number) =>
      Number(this.frame[a] === otherRow) - Number(this.frame[b] === otherRow) || (this.#total[b] as number) - (this.#total[a] as number) ||
      compareFrames(frameOf(frames, this.frame[a] as number), frameOf(frames, this.frame[b] as number));
    const nodes: NodeColumns = { parent: [], frame: [], total: [], self: [], count: [], copies: [] };
    const [number, baseOf] = [new Int32Array(size), new Int32Array(size)];
    const open = [0];
    const children: number[] = [];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const at = nodes.frame.push(this.frame[node] as number) - 1;
      number[node] = at;
      baseOf[at] = this.#base[node] as number;
      nodes.parent.push(node === 0 ? -1 : (number[this.#parent[node] as number] as number));
      nodes.total.push(this.#total[node] as number);
      nodes.self.push(this.self[node] as number);
      nodes.count.push(this.#count[node] as number);
      nodes.copies.push(this.#copies[node] as number);
      children.length = 0;
      for (let child = first[node] as number; child >= 0; child = next[child] as number) children.push(child);
      if (children.length > 1) children.sort(order);
      for (let child = children.length - 1; child >= 0; child--) open.push(children[child] as number);
    }
    return { nodes, baseOf, placeOf: placeOf.map((node) => number[node] as number), chain: null };
  }
}

function frameOf(frames: DrawnTree["frames"], row: number): Frame {
  const text = (column: readonly string[]) => column[row] as string;
  return { kind: frames.kind[row] as Frame["kind"], name: text(frames.name), file: text(frames.file), line: frames.line[row] as number, mapping: text(frames.mapping), modulePath: text(frames.modulePath), moduleClass: text(frames.moduleClass), modelKey: text(frames.modelKey) };
}
