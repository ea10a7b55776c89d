// The modules of a file that knows classes and instances, no paths: `Class[n]` under the module that called it, n counting the instances of that class there in
// order of first call, as for traces. The same instance called again there is the same module.
import type { ExecutionModule, ModuleCalls } from "../execution.ts";
import { StackTree } from "../frame-table.ts";
import type { StackExecution } from "../stack-execution.ts";

export type Place = {
  frame: number;
  stack: number; // of the frames from the root to it
  path: string;
  calls: ModuleCalls;
  children: Place[];
  byInstance: Map<string, Place>;
  perClass: Map<string, number>;
};

export class PlacedModules {
  private readonly execution: StackExecution;
  private readonly root: Place = { frame: -1, stack: StackTree.root, path: "", ...nothingYet() };

  constructor(execution: StackExecution) {
    this.execution = execution;
  }

  // `instance` undefined: another one than any before.
  place(className: string, instance: number | undefined, within: Place = this.root): Place {
    const key = `${className}\0${instance}`;
    const known = instance === undefined ? undefined : within.byInstance.get(key);
    if (known !== undefined) return known;
    const n = within.perClass.get(className) ?? 0;
    within.perClass.set(className, n + 1);
    const name = `${className}[${n}]`;
    const path = within.path === "" ? name : `${within.path}.${name}`;
    const frame = this.execution.frame({ kind: "layer", name, modulePath: path, moduleClass: className });
    const place = { frame, stack: this.execution.stack([frame], within.stack), path, ...nothingYet() };
    within.children.push(place);
    if (instance !== undefined) within.byInstance.set(key, place);
    return place;
  }

  inPreOrder(): ExecutionModule[] {
    const modules: ExecutionModule[] = [];
    const pending = this.root.children.map((place) => ({ place, parent: -1, depth: 0 })).reverse();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { place, parent, depth } = next;
      const row = modules.push({ frame: place.frame, parent, depth, calls: place.calls }) - 1;
      for (const child of place.children.toReversed()) pending.push({ place: child, parent: row, depth: depth + 1 });
    }
    return modules;
  }
}

function nothingYet(): Pick<Place, "calls" | "children" | "byInstance" | "perClass"> {
  return { calls: { gpuNs: [], cpuNs: [], step: [] }, children: [], byInstance: new Map(), perClass: new Map() };
}
