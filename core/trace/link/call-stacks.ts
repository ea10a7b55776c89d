// The stack of any host call, root first: modules and Python functions, operators and the launch, interleaved as they were nested. Built on demand, each
// prefix once, without recursion (calls nest over a thousand deep). A backward operator stands where its forward operator stood, so a layer's time is that
// of both passes; a module computed again in the backward pass stands in its place in the model; a collective over gradients stands in no module.
import { plainFrame, pythonFrame } from "./call-frame.ts";
import { StackTree, type FrameTable } from "../frame-table.ts";
import type { Attribution } from "./attribution.ts";
import type { BackwardLinks } from "./backward-links.ts";
import type { ModulePlaces } from "./module-places.ts";
import type { Nesting } from "./nest.ts";
import type { TextTable } from "../read/text-table.ts";
import { callKinds, type HostCalls } from "./calls.ts";

export class CallStacks {
  readonly tree = new StackTree();
  private readonly stackOfRow: Int32Array; // 0 = not built yet; the empty stack belongs to no call
  private readonly frameOfName = new Map<number, number>();
  private readonly calls: HostCalls;
  private readonly nesting: Nesting;
  private readonly places: ModulePlaces;
  private readonly backward: BackwardLinks;
  private readonly attribution: Attribution;
  private readonly frames: FrameTable;
  private readonly texts: TextTable;

  constructor(calls: HostCalls, nesting: Nesting, places: ModulePlaces, backward: BackwardLinks, attribution: Attribution, frames: FrameTable, texts: TextTable) {
    this.calls = calls;
    this.nesting = nesting;
    this.places = places;
    this.backward = backward;
    this.attribution = attribution;
    this.frames = frames;
    this.texts = texts;
    this.stackOfRow = new Int32Array(calls.length);
  }

  of(row: number): number {
    const pending: number[] = [];
    let at = row;
    let stack: number = StackTree.root;
    while (at >= 0) {
      if (this.stackOfRow[at] !== 0) {
        stack = this.stackOfRow[at]!;
        break;
      }
      pending.push(at);
      if (this.calls.kind.values[at] === callKinds.module && this.attribution.isRecomputed(at)) {
        for (const frame of this.places.framesAround(at)) stack = this.tree.child(stack, frame);
        break;
      }
      const accumulation = this.backward.bucketOf.get(at);
      if (accumulation !== undefined) {
        stack = this.tree.child(stack, this.frame(accumulation));
        break;
      }
      at = this.callerOf(at);
    }
    for (let call = pending.pop(); call !== undefined; call = pending.pop()) this.stackOfRow[call] = stack = this.tree.child(stack, this.frame(call));
    return stack;
  }

  // Row of the call that stands above a call in its stack; -1 = none.
  callerOf(row: number): number {
    return this.nesting.parent[this.backward.forwardOf.get(row) ?? row]!;
  }

  kernelFrame(name: number): number {
    return this.named(name, 7, () => plainFrame("gpu_kernel", this.texts.text(name)));
  }

  private frame(row: number): number {
    const kind = this.calls.kind.values[row]!;
    const name = this.calls.name.values[row]!;
    if (kind === callKinds.module) return this.places.frameOf.get(row)!;
    if (kind === callKinds.python) return this.named(name, kind, () => pythonFrame(this.texts.text(name)));
    return this.named(name, kind, () => plainFrame(kind === callKinds.op ? "op" : kind === callKinds.range ? "nvtx" : "gpu_api", this.texts.text(name)));
  }

  private named(name: number, kind: number, make: () => Parameters<FrameTable["add"]>[0]): number {
    const key = name * 8 + kind;
    let frame = this.frameOfName.get(key);
    if (frame === undefined) this.frameOfName.set(key, (frame = this.frames.add(make())));
    return frame;
  }
}
