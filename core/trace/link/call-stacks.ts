// The stack of any host call, root first: modules and Python functions, operators and the launch, interleaved as they were nested. Built on demand, each
// prefix once, without recursion (calls nest over a thousand deep). A backward operator stands where its forward operator stood, so a layer's time is that
// of both passes; a module computed again in the backward pass stands in its place in the model; a collective over gradients stands in no module.
import { plainFrame, pythonFrame } from "./call-frame.ts";
import { StackTree, type FrameTable } from "../frame-table.ts";
import type { ModulePlaces } from "./module-places.ts";
import type { Stretch } from "./stretch.ts";
import type { TextTable } from "../read/text-table.ts";
import { callKinds } from "./calls.ts";

export class CallStacks {
  readonly tree = new StackTree();
  private stackOfRow = new Int32Array(0); // 0 = not built yet; the empty stack belongs to no call
  private readonly frameOfName = new Map<number, number>();
  private stretch!: Stretch;
  private readonly places: ModulePlaces;
  private readonly frames: FrameTable;
  private readonly texts: TextTable;

  constructor(places: ModulePlaces, frames: FrameTable, texts: TextTable) {
    this.places = places;
    this.frames = frames;
    this.texts = texts;
  }

  // From here on, rows are those of this stretch of the file.
  begin(stretch: Stretch): void {
    this.stretch = stretch;
    this.stackOfRow = new Int32Array(stretch.calls.length);
  }

  of(row: number): number {
    const { calls, attribution, backward } = this.stretch;
    const pending: number[] = [];
    let at = row;
    let stack: number = StackTree.root;
    while (at >= 0) {
      if (this.stackOfRow[at] !== 0) {
        stack = this.stackOfRow[at]!;
        break;
      }
      pending.push(at);
      if (calls.kind.values[at] === callKinds.module && attribution.isRecomputed(at)) {
        for (const frame of this.places.framesAround(at)) stack = this.tree.child(stack, frame);
        break;
      }
      const accumulation = backward.bucketOf.get(at);
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
    const { nesting, backward } = this.stretch;
    return nesting.parent[backward.forwardOf.get(row) ?? row]!;
  }

  kernelFrame(name: number): number {
    return this.named(name, 7, () => plainFrame("gpu_kernel", this.texts.text(name)));
  }

  // As its frame has it, bounded.
  kernelName(name: number): string {
    return this.frames.frames[this.kernelFrame(name)]!.name;
  }

  private frame(row: number): number {
    const { calls } = this.stretch;
    const kind = calls.kind.values[row]!;
    const name = calls.name.values[row]!;
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
