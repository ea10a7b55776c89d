// How many modules of each role a collapsed section hides. By row of the shape, every path counted, the row's own module not.
import type { ShapeBody } from "#schema/api/models.ts";
import { moduleRoles, roleOfClass, type ModuleRole } from "#core/shape/role.ts";

export class RoleCounts {
  readonly #below: readonly Float64Array[];

  constructor({ modules }: ShapeBody) {
    const below: Float64Array[] = [];
    const own = modules.map(({ className }) => moduleRoles.indexOf(roleOfClass(className)));
    for (const { children } of modules) {
      const counts = new Float64Array(moduleRoles.length);
      for (const { module } of children) {
        counts[own[module]!]!++;
        for (const [role, count] of below[module]!.entries()) counts[role]! += count;
      }
      below.push(counts);
    }
    this.#below = below;
  }

  hidden(row: number, role: ModuleRole): number {
    return this.#below[row]![moduleRoles.indexOf(role)]!;
  }
}
