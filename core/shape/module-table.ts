// Hash-consing: a growing table of modules in which equal structure is one row. Row identity is then structural identity, which is what folding,
// merging and storing once rest on. Invariant: children come before parents; no two rows have one hash.
import type { ModuleRow } from "#schema/api/models.ts";
import { sha256Hex } from "../sha256.ts";
import { moduleText } from "./module-text.ts";

export class ModuleTable {
  readonly modules: ModuleRow[] = [];
  readonly hashes: string[] = [];
  readonly #rowOfHash = new Map<string, number>();

  // The row of a module whose children are rows of this table.
  intern(module: ModuleRow): number {
    const hash = sha256Hex(moduleText(module, this.hashes));
    const known = this.#rowOfHash.get(hash);
    if (known !== undefined) return known;
    this.#rowOfHash.set(hash, this.modules.length);
    this.hashes.push(hash);
    return this.modules.push(module) - 1;
  }

  // Copies what lies at or below a row of other modules, in post-order, and returns its row here.
  copy(modules: readonly ModuleRow[], root: number): number {
    const rowHere = new Int32Array(modules.length).fill(-1);
    const open = [{ row: root, next: 0 }];
    for (let top = open[0]; top !== undefined; top = open.at(-1)) {
      const { className, tensors, children } = modules[top.row]!;
      const child = children[top.next++];
      if (child !== undefined) {
        if (rowHere[child.module] === -1) open.push({ row: child.module, next: 0 });
        continue;
      }
      rowHere[top.row] = this.intern({ className, tensors, children: children.map(({ name, module }) => ({ name, module: rowHere[module]! })) });
      open.pop();
    }
    return rowHere[root]!;
  }
}
