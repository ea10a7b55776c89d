// Annotations that name a module by its path: "Module:model.layers.17.self_attn" (hooks around every forward) or "layers.17.attention" (record_function by
// hand). In a trace without nn.Module calls they are the modules. In one with them, a hook's annotation lies inside the call of its module and tells its path.
import { callKinds } from "./calls.ts";
import type { MappedModule } from "./module-map.ts";
import type { Nesting } from "./nest.ts";
import type { TextTable } from "../read/text-table.ts";
import type { TraceTables } from "./trace-tables.ts";

const hooked = /^Module:\s*((?:\w+)(?:\.\w+)*)$/;
const dotted = /^[A-Za-z_]\w*(?:\.\w+)+$/;
const index = /\.\d+(?:\.|$)/;

export function annotatedPath(name: string): string | undefined {
  return hooked.exec(name)?.[1] ?? (dotted.test(name) && index.test(name) ? name : undefined);
}

export class PathAnnotations {
  outdated = false; // of a module asked for, annotations say something else now
  private readonly alone: boolean;
  private readonly pathOf = new Map<string, string | undefined>(); // name of a module's event → its path; undefined = annotations contradict one another
  private readonly asked = new Set<string>();

  // `alone`: the file has no nn.Module calls.
  constructor(alone: boolean) {
    this.alone = alone;
  }

  // What the annotations say of the module whose event has this name.
  get(event: string): MappedModule | undefined {
    this.asked.add(event);
    const path = this.pathOf.get(event);
    return path === undefined ? undefined : { path, className: "" };
  }

  // Where annotations stand alone their rows become modules; to nest again is not needed, because ranges nest as modules do.
  learn({ calls, found }: TraceTables, nesting: Nesting, texts: TextTable): void {
    const pathOfName = new Map<number, string | undefined>();
    const pathIn = (name: number): string | undefined => {
      if (!pathOfName.has(name)) pathOfName.set(name, this.alone ? annotatedPath(texts.text(name)) : hooked.exec(texts.text(name))?.[1]);
      return pathOfName.get(name);
    };
    const kind = calls.kind.values;
    const name = calls.name.values;
    for (let row = 0; row < calls.length; row++) {
      const path = kind[row] === callKinds.range ? pathIn(name[row]!) : undefined;
      if (path === undefined) continue;
      let module = this.alone ? row : nesting.parent[row]!;
      while (module >= 0 && !this.alone && kind[module] !== callKinds.module) module = nesting.parent[module]!;
      if (module < 0) continue;
      this.add(texts.text(name[module]!), path);
      if (!this.alone) continue;
      kind[row] = callKinds.module;
      found.moduleCalls++;
    }
  }

  private add(event: string, path: string): void {
    const known = this.pathOf.has(event);
    if (known && (this.pathOf.get(event) ?? path) === path) return;
    this.pathOf.set(event, known ? undefined : path);
    if (this.asked.has(event)) this.outdated = true;
  }
}
