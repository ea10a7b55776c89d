// The frames of an answer in columns, each once, in the order they are first shown. Frame 0 is the root, frame 1 is "(other)".
import type { FrameColumns } from "#schema/api/flamegraph.ts";
import { hexFrameId } from "./frame-id.ts";
import type { Frame } from "./stacks.ts";
import { otherFrame, rootFrame } from "./tree.ts";

const noFrame = { file: "", line: 0, mapping: "", modulePath: "", moduleClass: "", modelKey: "" };

export class ShownFrames {
  readonly columns: FrameColumns = { id: [], kind: [], name: [], file: [], line: [], mapping: [], modulePath: [], moduleClass: [], modelKey: [] };
  readonly #frames: readonly Frame[];
  readonly #ids: readonly string[];
  readonly #rows = new Map<number, number>();

  // `ids`: of the frames in the store, decimal.
  constructor(frames: readonly Frame[], ids: readonly string[]) {
    this.#frames = frames;
    this.#ids = ids;
    this.#add(rootFrame, "", { ...noFrame, kind: "root", name: "" });
    this.#add(otherFrame, "", { ...noFrame, kind: "other", name: "(other)" });
  }

  // The row of a frame, by its number in `frames`.
  rowOf(frame: number): number {
    return this.#rows.get(frame) ?? this.#add(frame, hexFrameId(this.#ids[frame] as string), this.#frames[frame] as Frame);
  }

  #add(number: number, id: string, frame: Omit<Frame, "kind"> & { kind: FrameColumns["kind"][number] }): number {
    const { columns } = this;
    const row = columns.id.push(id) - 1;
    columns.kind.push(frame.kind);
    columns.name.push(frame.name);
    columns.file.push(frame.file);
    columns.line.push(frame.line);
    columns.mapping.push(frame.mapping);
    columns.modulePath.push(frame.modulePath);
    columns.moduleClass.push(frame.moduleClass);
    columns.modelKey.push(frame.modelKey);
    this.#rows.set(number, row);
    return row;
  }
}
