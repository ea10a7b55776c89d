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

export type AnnotationReading = { texts: TextTable; modules: Map<string, MappedModule>; alone: boolean };

// Adds to `modules`: name of a module's event → what the annotations say of it. `alone`, in a file without nn.Module calls: marks the annotations' rows as
// modules; to nest again is not needed, because ranges nest as modules do.
export function pathAnnotations({ calls, found }: TraceTables, nesting: Nesting, { texts, modules, alone }: AnnotationReading): void {
  const pathOfName = new Map<number, string | undefined>();
  const pathOf = (name: number): string | undefined => {
    if (!pathOfName.has(name)) pathOfName.set(name, annotatedPath(texts.text(name)));
    return pathOfName.get(name);
  };
  const kind = calls.kind.values;
  const name = calls.name.values;
  const contradicted = new Set<string>();
  for (let row = 0; row < calls.length; row++) {
    const path = kind[row] === callKinds.range ? pathOf(name[row]!) : undefined;
    if (path === undefined) continue;
    if (alone) {
      kind[row] = callKinds.module;
      found.moduleCalls++;
      modules.set(texts.text(name[row]!), { path, className: "" });
      continue;
    }
    if (!hooked.test(texts.text(name[row]!))) continue;
    let module = nesting.parent[row]!;
    while (module >= 0 && kind[module] !== callKinds.module) module = nesting.parent[module]!;
    if (module < 0) continue;
    const event = texts.text(name[module]!);
    if ((modules.get(event)?.path ?? path) !== path) contradicted.add(event);
    modules.set(event, { path, className: "" });
  }
  for (const event of contradicted) modules.delete(event);
}
