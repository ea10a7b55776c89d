// Which module of the model each nn.Module call is: its path, class and frame.
// A path comes from the recorder's map where it has the module, else it is inferred: `Class[n]` under the module that called it, n counting the instances of
// that class there in order of first call. The same instance called again is the same module. An instance called with no module around it takes the place where
// it is first called inside another, wherever in the file (module-callers.ts).
import type { ExecutionFrame, ModuleFrameName, PathSource } from "../execution.ts";
import { modulePrefix } from "./event-category.ts";
import type { Foreknowledge } from "./foreknowledge.ts";
import type { FrameTable } from "../frame-table.ts";
import type { MappedModule } from "./module-map.ts";
import type { Nesting } from "./nest.ts";
import type { TextTable } from "../read/text-table.ts";
import { callKinds } from "./calls.ts";
import type { TraceTables } from "./trace-tables.ts";

// The recorder's map wins over annotations.
export type ModuleNaming = { map: ReadonlyMap<string, MappedModule>; frameName: ModuleFrameName; modelName: string };
type Place = { path: string; isCut: boolean; frame: number; parent: Place | undefined; children: Map<number, Place>; perClass: Map<string, number> };

export class ModulePlaces {
  // Of the stretch of the file placed last:
  enclosing = new Int32Array(0); // row of any call → row of the innermost module around it (not itself); -1 = none
  readonly frameOf = new Map<number, number>(); // row of a module call → frame
  readonly instanceOf = new Map<number, number>(); // row of a module call → instance

  pathSource: PathSource = "none";
  unmapped = 0; // instances the recorder's map does not have, when there is one
  merged = 0; // modules in a frame of another one, whose path differs only in the middle that is left out

  private readonly frames: FrameTable;
  private readonly texts: TextTable;
  private readonly naming: ModuleNaming;
  private readonly known: Foreknowledge;
  private readonly root: Place = { path: "", isCut: false, frame: -1, parent: undefined, children: new Map(), perClass: new Map() };
  private readonly placeOfRow = new Map<number, Place>();
  private readonly cutPaths = new Map<number, string>(); // frame → the first recorded path that was cut to its own; "" = an inferred one

  constructor(texts: TextTable, frames: FrameTable, naming: ModuleNaming, known: Foreknowledge) {
    this.frames = frames;
    this.texts = texts;
    this.naming = naming;
    this.known = known;
  }

  // Places the calls of one stretch of the file; instances keep the places that earlier stretches gave them.
  place({ calls, threads }: TraceTables, nesting: Nesting): void {
    const kind = calls.kind.values;
    this.enclosing = new Int32Array(calls.length).fill(-1);
    this.frameOf.clear();
    this.instanceOf.clear();
    this.placeOfRow.clear();
    const rows: number[] = [];
    for (const row of nesting.order) {
      const parent = nesting.parent[row]!;
      if (parent >= 0) this.enclosing[row] = kind[parent] === callKinds.module ? parent : this.enclosing[parent]!;
      if (kind[row] !== callKinds.module) continue;
      rows.push(row);
      this.instanceOf.set(row, threads[calls.thread.values[row]!]!.process * 2 ** 26 + calls.name.values[row]!);
    }
    // In time across threads; the sort is stable, so callers stay before the modules they call.
    rows.sort((a, b) => calls.start.values[a]! - calls.start.values[b]!);
    for (const row of rows) {
      const caller = this.enclosing[row]!;
      const instance = this.instanceOf.get(row)!;
      if (caller >= 0) this.known.callers.learn(instance, this.instanceOf.get(caller)!, this.texts.text(calls.name.values[caller]!));
    }
    for (const row of rows) {
      const caller = this.enclosing[row]!;
      const instance = this.instanceOf.get(row)!;
      const place = caller >= 0 ? this.childOf(this.placeOfRow.get(caller)!, instance) : this.firstPlace(instance);
      this.placeOfRow.set(row, place);
      this.frameOf.set(row, place.frame);
    }
  }

  // Frames of the modules around a module call's place, outermost first, whether or not they are being called.
  framesAround(row: number): number[] {
    const frames: number[] = [];
    for (let place = this.placeOfRow.get(row)!.parent; place !== undefined && place !== this.root; place = place.parent) frames.push(place.frame);
    return frames.reverse();
  }

  // Every place with the place around it, frames, in the order they were first called; -1 = none.
  *parentsInOrder(): Generator<[frame: number, parent: number]> {
    const pending = [...this.root.children.values()].reverse();
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      yield [place.frame, place.parent!.frame];
      for (const child of [...place.children.values()].reverse()) pending.push(child);
    }
  }

  private firstPlace(instance: number): Place {
    return this.known.callers.chainOf(instance).reduceRight((place, member) => this.childOf(place, member), this.root);
  }

  private childOf(parent: Place, instance: number): Place {
    let place = parent.children.get(instance);
    if (place === undefined) parent.children.set(instance, (place = this.newPlace(parent, instance)));
    return place;
  }

  private newPlace(parent: Place, instance: number): Place {
    const name = this.known.callers.nameOf(instance) ?? this.texts.text(instance % 2 ** 26);
    const { map, frameName, modelName } = this.naming;
    const mapped = map.get(name) ?? this.known.annotations.get(name);
    this.known.sawModule();
    const className = mapped?.className || (name.startsWith(modulePrefix) ? name.slice(modulePrefix.length).replace(/_\d+$/, "") : "");
    let frame: ExecutionFrame;
    if (mapped !== undefined) {
      this.pathSource = "recorded";
      const { path } = mapped;
      frame = layerFrame(frameName({ path, className, modelName }), path, className);
    } else {
      if (this.pathSource === "none") this.pathSource = "inferred";
      if (map.size > 0) this.unmapped++;
      const n = parent.perClass.get(className) ?? 0;
      parent.perClass.set(className, n + 1);
      const step = `${className}[${n}]`;
      frame = layerFrame(step, parent.path === "" ? step : `${parent.path}.${step}`, className);
    }
    const id = this.frames.add(frame);
    // The path as the frame has it, bounded: whole ones of 12,000 modules in one another are 700 MB.
    const path = this.frames.frames[id]!.modulePath;
    const isCut = path !== frame.modulePath || (mapped === undefined && parent.isCut);
    if (isCut) {
      const whole = mapped?.path ?? "";
      const first = this.cutPaths.get(id);
      if (first === undefined) this.cutPaths.set(id, whole);
      else if (whole === "" || first !== whole) this.merged++;
    }
    return { path, isCut, frame: id, parent, children: new Map(), perClass: new Map() };
  }
}

function layerFrame(name: string, modulePath: string, moduleClass: string): ExecutionFrame {
  return { kind: "layer", name, file: "", line: 0, modulePath, moduleClass };
}
