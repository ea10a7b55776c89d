// The stack of any host call, root first: modules and Python functions, operators and the launch, interleaved as they were nested. Built on demand, each
// prefix once, without recursion (calls nest over a thousand deep).
import { plainFrame, pythonFrame } from "./call-frame.ts";
import { StackTree, type FrameTable } from "../frame-table.ts";
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
  private readonly frames: FrameTable;
  private readonly texts: TextTable;

  constructor(calls: HostCalls, nesting: Nesting, places: ModulePlaces, frames: FrameTable, texts: TextTable) {
    this.calls = calls;
    this.nesting = nesting;
    this.places = places;
    this.frames = frames;
    this.texts = texts;
    this.stackOfRow = new Int32Array(calls.length);
  }

  of(row: number): number {
    const pending: number[] = [];
    let at = row;
    while (at >= 0 && this.stackOfRow[at] === 0) {
      pending.push(at);
      at = this.nesting.parent[at]!;
    }
    let stack = at >= 0 ? this.stackOfRow[at]! : StackTree.root;
    for (let call = pending.pop(); call !== undefined; call = pending.pop()) this.stackOfRow[call] = stack = this.tree.child(stack, this.frame(call));
    return stack;
  }

  kernelFrame(name: number): number {
    return this.named(name, 7, () => plainFrame("gpu_kernel", this.texts.text(name)));
  }

  private frame(row: number): number {
    const kind = this.calls.kind.values[row]!;
    const name = this.calls.name.values[row]!;
    if (kind === callKinds.module) return this.places.frameOf.get(row)!;
    if (kind === callKinds.python) return this.named(name, kind, () => pythonFrame(this.texts.text(name)));
    return this.named(name, kind, () => plainFrame(kind === callKinds.op ? "op" : "gpu_api", this.texts.text(name)));
  }

  private named(name: number, kind: number, make: () => Parameters<FrameTable["add"]>[0]): number {
    const key = name * 8 + kind;
    let frame = this.frameOfName.get(key);
    if (frame === undefined) this.frameOfName.set(key, (frame = this.frames.add(make())));
    return frame;
  }
}
