// Two selections side by side: the nodes of both under one cut, and sums by module and by kernel, by interval. Layers are their paths here, so that two
// models, or one before and after quantisation, have theirs in common.
import { z } from "zod";
import type { StackView } from "#core/flamegraph/stack-view.ts";
import type { Query } from "./client.ts";
import { byFrame, frameRow, nodesOf } from "./flamegraph.ts";
import { hostSums, type Interval, type SampleSelection, stackSums } from "./samples.ts";
import { modulesSql } from "./stack-view.ts";
import { frameKinds } from "#schema/frame-kinds.ts";

const sums = z.array(z.string());
const series = { intervals: z.array(z.int()), values: sums, counts: sums };
const comparedRow = frameRow.extend({ totals_value_a: sums, selfs_value_a: sums, totals_count_a: sums, selfs_count_a: sums });
const moduleRow = z.object({ path: z.string(), classes: z.array(z.string()), ...series });
const kernelRow = z.object({ name: z.string(), ...series });
const hostRow = z.object({ host_name: z.string() });

// Nodes of both selections together, the heaviest of the sum of both; beside each what of it is `a`'s.
export function comparedNodes(a: SampleSelection, b: SampleSelection, view: StackView<string>, nodesMax: number): Query & { row: typeof comparedRow } {
  const [ofA, ofB] = [renamed(stackSums(a), "a_"), stackSums(b)];
  const sql = `SELECT stack_id, sum(value) AS value, sum(count) AS count, sum(samples) AS samples, sum(value_a) AS value_a, sum(count_a) AS count_a FROM (
      SELECT stack_id, value, count, samples, value AS value_a, count AS count_a FROM (${ofA.sql})
      UNION ALL
      SELECT stack_id, value, count, samples, 0 AS value_a, 0 AS count_a FROM (${ofB.sql})
    ) GROUP BY stack_id`;
  const beside = ["value_a", "count_a"];
  return { ...byFrame(nodesOf({ sql, params: { ...ofA.params, ...ofB.params } }, view, nodesMax, beside), view, beside), row: comparedRow };
}

// Value and launches inside each module (a stack counts once for each it lies in), by interval.
export function moduleSeries(selection: SampleSelection, interval: Interval, foldLayers: boolean): Query & { row: typeof moduleRow } {
  const summed = stackSums(selection, interval);
  const { with: withMap, modules, names } = modulesSql(foldLayers);
  const sql = `
SELECT path, classes, intervals, values, counts
FROM (
  SELECT module, groupArray(toUInt32(interval)) AS intervals, groupArray(value) AS values, groupArray(count) AS counts
  FROM (
    SELECT module, interval, sum(value) AS value, sum(count) AS count
    FROM (
      ${withMap}
      SELECT interval, value, count, ${modules} AS modules
      FROM (SELECT stack_id, layers FROM stacks WHERE tenant_id = {tenant:String}) AS stack
      ANY RIGHT JOIN (${summed.sql}) AS sums USING (stack_id)
    )
    ARRAY JOIN modules AS module
    GROUP BY module, interval
  )
  GROUP BY module
) AS series
ANY LEFT JOIN (${names}) AS names ON names.module_id = series.module`;
  return { sql, params: summed.params, row: moduleRow };
}

// By the kernel a stack ends in, or the last one in it; stacks without one are not here.
export function kernelSeries(selection: SampleSelection, interval: Interval): Query & { row: typeof kernelRow } {
  const summed = stackSums(selection, interval);
  const sql = `
SELECT name, intervals, values, counts
FROM (
  SELECT kernel, groupArray(toUInt32(interval)) AS intervals, groupArray(value) AS values, groupArray(count) AS counts
  FROM (
    SELECT arrayLast(f -> bitAnd(f, 15) = ${frameKinds.gpu_kernel.number}, frames) AS kernel, interval, sum(value) AS value, sum(count) AS count
    FROM (SELECT stack_id, frames FROM stacks WHERE tenant_id = {tenant:String}) AS stack
    ANY RIGHT JOIN (${summed.sql}) AS sums USING (stack_id)
    GROUP BY kernel, interval
  )
  WHERE kernel != 0
  GROUP BY kernel
) AS series
ANY LEFT JOIN (SELECT frame_id, name FROM frames WHERE tenant_id = {tenant:String}) AS names ON names.frame_id = series.kernel`;
  return { sql, params: summed.params, row: kernelRow };
}

// Where the samples are from, "" for those that do not say.
export function hostsOf(selection: SampleSelection, limit: number): Query & { row: typeof hostRow } {
  const summed = hostSums(selection);
  return { sql: `SELECT host_name FROM (${summed.sql}) ORDER BY host_name LIMIT {limit:UInt32}`, params: { ...summed.params, limit }, row: hostRow };
}

// The same statement under parameters of other names, to stand beside another. The tenant is the same for all.
function renamed({ sql, params }: Query, prefix: string): Query {
  const names = Object.keys(params).filter((name) => name !== "tenant");
  return {
    sql: sql.replace(/\{(\w+):/g, (whole, name: string) => (names.includes(name) ? `{${prefix}${name}:` : whole)),
    params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name === "tenant" ? name : prefix + name, value])),
  };
}
