// The store's ranked rows → a top table. Invariant: the selfs of all rows, those cut and those unranked, and `without` are the total (but for rounding to µs).
import type { FlamegraphTop, TopRow } from "#schema/api/flamegraph-tables.ts";
import type { RankedBy } from "#schema/ranked-by.ts";
import type { ProfileTypeName } from "#schema/frame-kinds.ts";
import { unrankedReasons } from "../unranked-frames.ts";
import { frameKindOf, frameNameOf, hexFrameId } from "../frame-id.ts";
import { type Measure, measureOf } from "../measure.ts";
import { compareText } from "../stacks.ts";
import { type RankedRow, byValue, rankedKeys } from "./ranked-row.ts";

export type TopTable = Pick<FlamegraphTop, "by" | "sort" | "unit" | "samples" | "total" | "withoutLayer" | "simulated" | "rows" | "cut" | "unranked" | "without">;

export function topTable(rows: readonly RankedRow[], { limit, ...asked }: { readonly by: RankedBy; readonly sort: "total" | "self"; readonly limit: number }, profileType: ProfileTypeName): TopTable {
  const apart = (key: keyof typeof rankedKeys) => rows.find((row) => row.key === String(rankedKeys[key]));
  const whole = apart("whole");
  const measure = measureOf(whole?.total ?? "0", profileType);
  const unranked = unrankedReasons.flatMap((reason) => apart(reason) ?? []);
  const other = asked.sort === "total" ? "self" : "total";
  const ranked = rows.filter((row) => row !== whole && !unranked.includes(row))
    .sort((a, b) => byValue(a[asked.sort], b[asked.sort]) || byValue(a[other], b[other]) || compareText(a.name, b.name) || compareText(a.key, b.key));
  const shown = ranked.slice(0, limit);
  const selfs = [whole ?? [], unranked, shown].flat().reduce((sum, row) => sum + BigInt(row.self), 0n);
  return {
    ...asked, unit: measure.unit, samples: Number(whole?.samples ?? 0), total: measure.total, withoutLayer: measure.of(whole?.without_layer ?? "0"),
    simulated: shown.some(({ mapping }) => mapping === "simulated"),
    rows: shown.map((row) => topRow(row, asked.by, measure)),
    cut: { rows: whole === undefined ? 0 : whole.all_rows - 1 - unranked.length - shown.length, self: measure.of(BigInt(whole?.total ?? 0) - selfs) },
    unranked: unrankedReasons.flatMap((reason) => {
      const row = apart(reason);
      return row === undefined ? [] : [{ reason, frames: row.frames, ...weighed(row, measure), self: measure.of(row.self) }];
    }),
    without: measure.of(whole?.self ?? "0"),
  };
}

export function weighed({ total, count }: Pick<RankedRow, "total" | "count">, measure: Measure): Pick<TopRow, "total" | "share" | "count"> {
  return { total: measure.of(total), share: measure.share(total), count: Number(count) };
}

function topRow(row: RankedRow, by: RankedBy, measure: Measure): TopRow {
  const kind = frameKindOf(row.frame);
  const { key, name, file = "", modulePath = "", moduleClass = "", modelKey = "" } = described(row, by, kind);
  return { key, name, kind, frame: hexFrameId(row.frame), frames: row.frames, file, modulePath, moduleClass, modelKey, ...weighed(row, measure), self: measure.of(row.self) };
}

type Described = Pick<TopRow, "key" | "name"> & Partial<Pick<TopRow, "file" | "modulePath" | "moduleClass" | "modelKey">>;

function described(row: RankedRow, by: RankedBy, kind: TopRow["kind"]): Described {
  const { file, label, module_path: modulePath, module_class: moduleClass, model_key: modelKey } = row;
  const name = frameNameOf(row);
  switch (by) {
    case "frame": return { key: hexFrameId(row.frame), name, file, modulePath, moduleClass, modelKey };
    case "function": return { key: `${kind} ${name}`, name };
    case "kernel": return { key: name, name };
    case "category": return { key: label, name: label };
    case "module": return { key: [modelKey, modulePath, moduleClass, ...(row.name === "" ? [name] : [])].join(" "), name, modulePath, moduleClass, modelKey };
    case "class": return row.name === "" ? { key: name, name } : { key: moduleClass, name: moduleClass === "" ? "(class unknown)" : moduleClass, moduleClass };
    case "layer": return { key: `${modelKey} ${label}`, name: label, modulePath: label, modelKey };
  }
}
