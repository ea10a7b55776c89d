// Frames once each, and stacks as a tree of them: a stack is (stack of its caller, frame), so deep call paths share their roots and equal paths are one.
import { limits } from "#schema/limits.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import type { ExecutionFrame } from "./execution.ts";

export class FrameTable {
  readonly frames: ExecutionFrame[] = [];
  shortened = 0; // names over limits.nameBytesMax
  private readonly ids = new Map<string, number>();

  // The line is shown, never part of a frame's identity: functions of one name in one file are one frame, with no line when theirs differ.
  add(frame: ExecutionFrame): number {
    const kept = { ...frame, name: this.shorten(frame.name), file: this.shorten(frame.file), modulePath: this.shorten(frame.modulePath) };
    const key = `${kept.kind}\0${kept.name}\0${kept.file}\0${kept.modulePath}`;
    let id = this.ids.get(key);
    if (id === undefined) {
      this.ids.set(key, (id = this.frames.length));
      this.frames.push(kept);
    } else if (this.frames[id]!.line !== kept.line) this.frames[id]!.line = 0;
    return id;
  }

  // Both ends of a name stay: templates differ at the end.
  private shorten(name: string): string {
    if (name.length * 3 <= limits.nameBytesMax || encodeUtf8(name).length <= limits.nameBytesMax) return name;
    this.shortened++;
    const half = Math.floor(limits.nameBytesMax / 8);
    return `${name.slice(0, half)}…${name.slice(-half)}`;
  }
}

export class StackTree {
  static readonly root = 0;
  private readonly parents: number[] = [0];
  private readonly frame: number[] = [-1];
  private readonly children = new Map<number, number>();

  child(stack: number, frame: number): number {
    const key = stack * 2 ** 24 + frame;
    let id = this.children.get(key);
    if (id === undefined) {
      this.children.set(key, (id = this.parents.length));
      this.parents.push(stack);
      this.frame.push(frame);
    }
    return id;
  }

  // Frames of a stack, root first. Deeper than limits.stackDepthMax: the middle is left out and `cut` says so.
  frames(stack: number): { frames: Uint32Array; cut: boolean } {
    const found: number[] = [];
    for (let at = stack; at !== StackTree.root; at = this.parents[at]!) found.push(this.frame[at]!);
    found.reverse();
    const over = found.length - limits.stackDepthMax;
    if (over > 0) found.splice(limits.stackDepthMax / 2, over);
    return { frames: Uint32Array.from(found), cut: over > 0 };
  }
}
