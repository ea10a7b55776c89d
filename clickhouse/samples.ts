// Samples summed by stack under one selection: the first stage of every flamegraph, as a sub-query.
// Invariants: every table carries its own tenant predicate; the plain column `bucket` is always bounded (a function of ts in its place reads every granule);
// nothing older than the tenant's retention is read, whether or not the store has dropped it yet. Value, count and sample count are the same whichever table
// answers: whole hours may come from a roll-up, the two partial hours at the ends always come from the raw rows.
import { frameKinds, type ProfileTypeName } from "#schema/frame-kinds.ts";
import type { Query } from "./client.ts";
import { ceilingTo, dayS, floorTo, hourS, moment } from "./moments.ts";
import type { TenantScope } from "./scope.ts";
import type { Rollup, Where } from "./where.ts";

export type SampleSelection = {
  readonly scope: TenantScope;
  readonly profileType: ProfileTypeName;
  readonly executionId: string; // "" = live samples; an execution is selected by its id alone, its time range is not asked
  readonly fromS: number; // Unix seconds, inclusive
  readonly toS: number; // exclusive
  readonly nowS: number; // the caller's clock, for the retention cut
  readonly where: Where;
  readonly rollup: Rollup | null; // the roll-up that can answer `where`, from rollupFor
};

// The oldest moment a tenant can read: whole hours, so that the cut itself never forces a raw edge.
export function retainedFromS(scope: TenantScope, nowS: number): number {
  return Math.max(0, floorTo(nowS - scope.retentionDays * dayS, hourS));
}

// Of a row with a stack's `frames`: that it has no Model Layer frame. True of a stack that the dictionary lacks.
export const noLayerFrame = `NOT arrayExists(f -> bitAnd(f, 15) = ${frameKinds.layer.number}, frames)`;

// Into which intervals sums are told apart: of so many seconds (bucketed from 1970 on), or by the step of an execution.
export type Interval = { readonly seconds: number } | "step";

// Rows (stack_id, value, count, samples), one per stack; with an interval one per stack and `interval`. Intervals shorter than an hour are read from raw rows.
export function stackSums(selection: SampleSelection, interval: Interval | null = null): Query {
  return sumsBy(selection, ["stack_id"], interval);
}

// Rows (interval, value, count, samples): the same, all stacks together.
export function intervalSums(selection: SampleSelection, interval: Interval): Query {
  return sumsBy(selection, [], interval);
}

// Rows (host_name, value, count, samples): the same by host, which no roll-up knows.
export function hostSums(selection: SampleSelection): Query {
  return sumsBy({ ...selection, rollup: null }, ["host_name"], null);
}

function sumsBy(selection: SampleSelection, columns: readonly string[], interval: Interval | null): Query {
  const { scope, profileType, executionId, nowS, where } = selection;
  const hourly = interval === null || (interval !== "step" && interval.seconds % hourS === 0);
  const rollup = hourly ? selection.rollup : null;
  const inInterval = interval === null ? [] : [`${interval === "step" ? "step" : `intDiv(toUInt32(${hourly ? "bucket" : "ts"}), {interval:UInt32})`} AS interval`];
  const keys = [...columns, ...inInterval].join(", ");
  const group = [...columns, ...(interval === null ? [] : ["interval"])].join(", ");
  const retained = retainedFromS(scope, nowS);
  const from = executionId === "" ? Math.max(selection.fromS, retained) : retained;
  const to = selection.toS;
  const params = { tenant: scope.tenantId, type: profileType, execution: executionId, from, ...(interval === null || interval === "step" ? {} : { interval: interval.seconds }), ...where.params };
  const rows = (table: string, time: string) => `FROM ${table}
      WHERE tenant_id = {tenant:String} AND profile_type = {type:String} AND execution_id = {execution:String} AND ${time} AND (${where.sql})`;
  const sums = `${keys}, sum(value) AS value, sum(count) AS count`;

  if (executionId !== "") return { sql: `SELECT ${sums}, count() AS samples ${rows("samples", `bucket >= ${moment("from")}`)} GROUP BY ${group}`, params };

  const middleFrom = ceilingTo(from, hourS);
  const middleTo = floorTo(to, hourS);
  // Reading ts as well costs a quarter more, so only a partial hour asks for it.
  const inside = [...(from === middleFrom ? [] : [`ts >= ${moment("from")}`]), ...(to === middleTo ? [] : [`ts < ${moment("to")}`])];
  if (rollup === null || middleFrom >= middleTo) {
    const time = [`bucket >= toStartOfHour(${moment("from")})`, `bucket < ${moment("to")}`, ...inside].join(" AND ");
    return { sql: `SELECT ${sums}, count() AS samples ${rows("samples", time)} GROUP BY ${group}`, params: { ...params, to } };
  }

  const middle = rows(rollup, `bucket >= ${moment("middle_from")} AND bucket < ${moment("middle_to")}`);
  const middleParams = { ...params, middle_from: middleFrom, middle_to: middleTo };
  if (inside.length === 0) return { sql: `SELECT ${sums}, sum(samples) AS samples ${middle} GROUP BY ${group}`, params: middleParams };
  const edges = [...(from === middleFrom ? [] : [`toStartOfHour(${moment("from")})`]), ...(to === middleTo ? [] : [moment("middle_to")])];
  return {
    sql: `SELECT ${group}, sum(value) AS value, sum(count) AS count, sum(samples) AS samples FROM (
      SELECT ${keys}, value, toUInt64(count) AS count, toUInt64(1) AS samples
      ${rows("samples", [`bucket IN (${edges.join(", ")})`, ...inside].join(" AND "))}
      UNION ALL
      SELECT ${keys}, value, count, samples ${middle}
    ) GROUP BY ${group}`,
    params: { ...middleParams, to },
  };
}
