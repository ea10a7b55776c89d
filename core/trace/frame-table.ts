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
  private readonly depths: number[] = [0];
  private readonly heads: number[] = [0]; // stack → the stack of its first stackDepthMax / 2 frames, once it is longer: what is cut out is not walked
  private readonly children = new Map<number, number>();

  child(stack: number, frame: number): number {
    const key = stack * 2 ** 24 + frame;
    let id = this.children.get(key);
    if (id === undefined) {
      this.children.set(key, (id = this.parents.length));
      this.parents.push(stack);
      this.frame.push(frame);
      const depth = this.depths[stack]! + 1;
      this.depths.push(depth);
      this.heads.push(depth <= limits.stackDepthMax / 2 ? id : this.heads[stack]!);
    }
    return id;
  }

  // Frames of a stack, root first. Deeper than limits.stackDepthMax: the middle is left out and `cut` says so.
  frames(stack: number): { frames: Uint32Array; cut: boolean } {
    const cut = this.depths[stack]! > limits.stackDepthMax;
    const frames = new Uint32Array(Math.min(this.depths[stack]!, limits.stackDepthMax));
    for (let i = frames.length - 1, at = stack; i >= 0; i--, at = this.parents[at]!) {
      if (cut && i === limits.stackDepthMax / 2 - 1) at = this.heads[at]!;
      frames[i] = this.frame[at]!;
    }
    return { frames, cut };
  }
}
