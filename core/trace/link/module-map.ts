// The module map a recorder writes into the trace (docs/recording.md): event name → path from the model's root. Entries of another form are left out, counted.
import type { JsonValue } from "../read/json-value.ts";

export type MappedModule = { path: string; className: string };
export type ModuleMap = { modules: Map<string, MappedModule>; unreadable: number };

export function readModuleMap(value: JsonValue | undefined): ModuleMap {
  const map: ModuleMap = { modules: new Map(), unreadable: 0 };
  if (value === undefined) return map;
  if (value === null || typeof value !== "object" || Array.isArray(value)) return { ...map, unreadable: 1 };
  for (const [name, entry] of Object.entries(value)) {
    const fields = entry !== null && typeof entry === "object" && !Array.isArray(entry) ? entry : {};
    if (typeof fields["path"] === "string") map.modules.set(name, { path: fields["path"], className: typeof fields["class"] === "string" ? fields["class"] : "" });
    else map.unreadable++;
  }
  return map;
}
