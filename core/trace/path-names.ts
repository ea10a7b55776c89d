// Row of a module → its path as its folded node has it, "model.layers.0…27.mlp"; -1 → "no module".
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { type ModuleStatistics, rangeLabel } from "./module-statistics.ts";

export function pathNames({ modules, texts }: ExecutionRecord, nodes: readonly ModuleStatistics[]): (row: number) => string {
  const path = (row: number): string => texts[modules.path[row]!]!;
  const names = new Map<number, string>([[-1, "no module"]]);
  for (const { rows } of nodes) {
    const name = rangeLabel(rows.map(path)) || texts[modules.name[rows[0]!]!]!; // a recorded root has no path
    for (const row of rows) names.set(row, name);
  }
  return (row) => names.get(row)!;
}
