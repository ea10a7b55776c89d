// Values of a filter field with their counts, for completion. Three sources, all exact for the time they count (`counted`): labels of samples by whole hours from
// the samples themselves while the range is short, else by whole days from the side table (2 ms where the samples would take seconds); frames from the hourly
// roll-up and the stacks; labels of processes from the sightings. Nothing older than the tenant's retention is offered.
import { z } from "zod";
import type { Seconds } from "#core/time-range.ts";
import type { FieldName } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import type { Query } from "./client.ts";
import { ceilingTo, dayS, floorTo, hourS, moment } from "./moments.ts";
import { retainedFromS } from "./samples.ts";
import type { TenantScope } from "./scope.ts";
import { framesOf, framesOfKind, kindPairs, type Place, places, type WhereTable } from "./where.ts";

const valueRow = z.object({ value: z.string(), count: z.coerce.number() });
export type FieldValuesQuery = Query & { readonly row: typeof valueRow; readonly counted: Seconds };

// How what was typed must lie in a value.
export type ValueTest = "startsWith" | "contains" | "endsWith";

export type ValuesWanted = {
  readonly scope: TenantScope;
  readonly field: FieldName;
  readonly table: WhereTable; // samples: a count is of samples; sightings: of processes
  readonly test: ValueTest;
  readonly text: string;
  readonly fromS: number;
  readonly toS: number; // exclusive
  readonly nowS: number;
  readonly bytesMax: number; // longer values are left out
  readonly limit: number;
};

// Rows: most first, then by name.
export function fieldValues(wanted: ValuesWanted): FieldValuesQuery {
  const place = places[wanted.table][wanted.field];
  if (place === undefined) throw new Error(`invariant: ${wanted.table} has no column for ${wanted.field}`);
  if (wanted.table === "sightings") return sightingValues(wanted, labelOf(place));
  const retained = { ...wanted, fromS: Math.max(wanted.fromS, retainedFromS(wanted.scope, wanted.nowS)) };
  if (place.kind === "frames" || place.kind === "frameKind") return frameValues(retained, place);
  return wanted.toS - wanted.fromS <= limits.valueHoursMax * hourS ? valuesByHour(retained, labelOf(place)) : valuesByDay(retained);
}

function labelOf(place: Place): string {
  if (place.kind === "column") return place.column;
  if (place.kind === "list") return `arrayJoin(${place.column})`;
  throw new Error("invariant: frames are no labels");
}

const tests: Readonly<Record<ValueTest, string>> = {
  startsWith: "startsWith(value, {text:String})", contains: "position(value, {text:String}) > 0", endsWith: "endsWith(value, {text:String})",
};
const fits = (test: ValueTest): string => `value != '' AND length(value) <= {bytes:UInt32} AND ${tests[test]}`;
const ranked = "ORDER BY count DESC, value LIMIT {limit:UInt32}";

function query(wanted: ValuesWanted, sql: string, counted: Seconds): FieldValuesQuery {
  return { sql, params: { text: wanted.text, bytes: wanted.bytesMax, limit: wanted.limit, from: counted.fromS, to: counted.toS }, row: valueRow, counted };
}

// Reading `bucket` alone: with `ts` beside it the same statement takes three times as long.
function valuesByHour(wanted: ValuesWanted, value: string): FieldValuesQuery {
  return query(wanted, `
SELECT value, count() AS count FROM (
  SELECT ${value} AS value FROM samples WHERE tenant_id = {tenant:String} AND bucket >= ${moment("from")} AND bucket < ${moment("to")}
) WHERE ${fits(wanted.test)} GROUP BY value ${ranked}`, { fromS: floorTo(wanted.fromS, hourS), toS: ceilingTo(wanted.toS, hourS) });
}

function valuesByDay(wanted: ValuesWanted): FieldValuesQuery {
  const built = query(wanted, `
SELECT value, sum(samples) AS count FROM field_values
WHERE tenant_id = {tenant:String} AND field = {field:String} AND day >= toDate(${moment("from")}) AND day < toDate(${moment("to")}) AND ${fits(wanted.test)}
GROUP BY value ${ranked}`, { fromS: floorTo(wanted.fromS, dayS), toS: ceilingTo(wanted.toS, dayS) });
  return { ...built, params: { ...built.params, field: wanted.field } };
}

// A process says many times a day that it runs: it counts once. A sighting overlaps the range when it was last seen at or after its start and first seen before its end.
function sightingValues(wanted: ValuesWanted, value: string): FieldValuesQuery {
  return query(wanted, `
SELECT value, uniqExact(machine_id, process_key) AS count FROM (
  SELECT ${value} AS value, machine_id, process_key FROM sightings
  WHERE tenant_id = {tenant:String} AND day >= toDate(${moment("from")}) AND last_seen >= ${moment("from")} AND first_seen < ${moment("to")}
) WHERE ${fits(wanted.test)} GROUP BY value ${ranked}`, { fromS: wanted.fromS, toS: wanted.toS });
}

// A sample counts once for a value, however many frames of its stack have it. Stacks are first summed by the frames that matter, which many stacks share: the
// join with the dictionary then has some thousand rows instead of a million. Past limits.frameValueHoursMax only the last hours are counted; what was seen
// earlier in the range is offered behind, with the count 0.
function frameValues(wanted: ValuesWanted, place: Extract<Place, { kind: "frames" | "frameKind" }>): FieldValuesQuery {
  const toS = ceilingTo(wanted.toS, hourS);
  const counted = { fromS: Math.max(floorTo(wanted.fromS, hourS), toS - limits.frameValueHoursMax * hourS), toS };
  const cut = counted.fromS > floorTo(wanted.fromS, hourS);
  const sums = `
    SELECT stack_id, sum(samples) AS samples FROM samples_1h_by_exe
    WHERE tenant_id = {tenant:String} AND bucket >= ${moment("from")} AND bucket < ${moment("to")} GROUP BY stack_id`;
  const stacks = (column: string): string => `
    SELECT frame_set, sum(samples) AS samples FROM (SELECT stack_id, ${column} AS frame_set FROM stacks WHERE tenant_id = {tenant:String}) AS stack
    ANY RIGHT JOIN (${sums}) AS sums USING (stack_id) GROUP BY frame_set`;
  if (place.kind === "frameKind") {
    return query(wanted, `
SELECT kind.1 AS value, sum(samples) AS count FROM (${stacks("kinds")}) ARRAY JOIN ${kindPairs} AS kind
WHERE bitTest(frame_set, kind.2) AND ${fits(wanted.test)} GROUP BY value ${ranked}`, counted);
  }
  const named = `SELECT frame_id, ${place.column} AS value FROM frames WHERE tenant_id = {tenant:String} AND ${framesOf(place)} AND ${fits(wanted.test)}`;
  const sets = stacks(framesOfKind[place.of]);
  const built = query(wanted, `
SELECT value, sum(samples) AS count FROM (
  SELECT value, samples FROM (
    SELECT DISTINCT value, frame_set, samples FROM (${named}) AS named
    INNER JOIN (SELECT frame_set, samples, arrayJoin(frame_set) AS frame FROM (${sets})) AS seen ON named.frame_id = seen.frame
  )${cut ? ` UNION ALL SELECT value, 0 AS samples FROM (${named} AND last_seen >= toDate(${moment("since")}))` : ""}
) GROUP BY value ${ranked}`, counted);
  return cut ? { ...built, params: { ...built.params, since: wanted.fromS } } : built;
}
