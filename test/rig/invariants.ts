// What must hold in the store after every flow, asked of the store itself: the queries name what is broken and are expected to answer nothing.
import { expect } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import type { Client } from "#test/rig/client.ts";
import type { StackRig } from "#test/rig/stack.ts";

const keys = "tenant_id, profile_type, execution_id, bucket, exe_name, stack_id";
const series = "tenant_id, metric, engine, host_name, model_name, labels";
const rollup = (table: string) => `
  SELECT * FROM (SELECT ${keys}, sum(value) AS value, sum(count) AS count, count() AS samples FROM samples GROUP BY ${keys}) AS raw
  FULL JOIN (SELECT ${keys}, sum(value) AS value, sum(count) AS count, sum(samples) AS samples FROM ${table} GROUP BY ${keys}) AS hourly USING (${keys})
  WHERE (raw.value, raw.count, raw.samples) != (hourly.value, hourly.count, hourly.samples) LIMIT 3`;

const broken: Readonly<Record<string, string>> = {
  "hours where samples_1h_by_exe differs from the samples": rollup("samples_1h_by_exe"),
  "hours where samples_1h_by_deployment differs from the samples": rollup("samples_1h_by_deployment"),
  "field values that differ from the samples": `
    SELECT * FROM (SELECT tenant_id, host_name::String AS value, count() AS samples FROM samples WHERE host_name != '' GROUP BY tenant_id, value) AS raw
    FULL JOIN (SELECT tenant_id, value, sum(samples) AS samples FROM field_values WHERE field = 'host.name' GROUP BY tenant_id, value) AS listed USING (tenant_id, value)
    WHERE raw.samples != listed.samples LIMIT 3`,
  "hours where engine_metrics_1h differs from the points": `
    SELECT * FROM (SELECT ${series}, toStartOfHour(ts) AS bucket, count() AS points, min(value) AS least, max(value) AS most FROM engine_metrics GROUP BY ${series}, bucket) AS raw
    FULL JOIN (SELECT ${series}, bucket, sum(count) AS points, min(min) AS least, max(max) AS most FROM engine_metrics_1h GROUP BY ${series}, bucket) AS hourly USING (${series}, bucket)
    WHERE (raw.points, raw.least, raw.most) != (hourly.points, hourly.least, hourly.most) LIMIT 3`,
  "days where engine_metrics_1d differs from the points": `
    SELECT * FROM (SELECT ${series}, toDate(ts) AS day, min(ts) AS first, max(ts) AS last FROM engine_metrics GROUP BY ${series}, day) AS raw
    FULL JOIN (SELECT ${series}, day, min(first_at) AS first, max(last_at) AS last FROM engine_metrics_1d GROUP BY ${series}, day) AS daily USING (${series}, day)
    WHERE (raw.first, raw.last) != (daily.first, daily.last) LIMIT 3`,
  "records without their execution, or with other modules than their nodes": `
    SELECT tenant_id, execution_id, modules, nodes FROM (SELECT tenant_id, execution_id, JSONLength(record, 'modules', 'parent') AS modules FROM execution_records FINAL) AS record
    LEFT JOIN (SELECT tenant_id, execution_id, count() AS nodes FROM execution_nodes FINAL GROUP BY tenant_id, execution_id) AS node USING (tenant_id, execution_id)
    WHERE modules != nodes OR (tenant_id, execution_id) NOT IN (SELECT tenant_id, execution_id FROM executions) LIMIT 3`,
  "samples whose stack is not stored": "SELECT tenant_id, stack_id FROM samples WHERE (tenant_id, stack_id) NOT IN (SELECT tenant_id, stack_id FROM stacks) LIMIT 3",
  "stacks whose frame is not stored": `
    SELECT tenant_id, stack_id, frame FROM stacks ARRAY JOIN frames AS frame WHERE (tenant_id, frame) NOT IN (SELECT tenant_id, frame_id FROM frames) LIMIT 3`,
  "ledger rows whose samples are not what they say": `
    SELECT * FROM (SELECT tenant_id, sum(samples) AS samples, sum(sample_value) AS value FROM uploads GROUP BY tenant_id) AS ledger
    FULL JOIN (SELECT tenant_id, count() AS samples, sum(value) AS value FROM samples GROUP BY tenant_id) AS raw USING (tenant_id)
    WHERE (ledger.samples, ledger.value) != (raw.samples, raw.value) LIMIT 3`,
  "uploads with two ledger rows": "SELECT tenant_id, upload_id FROM uploads GROUP BY tenant_id, upload_id HAVING count() > 1 LIMIT 3",
  "models whose shape is not stored": "SELECT tenant_id, shape_id FROM model_shapes WHERE (tenant_id, shape_id) NOT IN (SELECT tenant_id, shape_id FROM shapes) LIMIT 3",
};

export async function expectInvariants(rig: StackRig): Promise<void> {
  await rig.settled();
  for (const [what, sql] of Object.entries(broken)) expect(await rig.rows(sql), what).toEqual([]);
  for (const { shape_id, body } of await rig.rows<{ shape_id: string; body: string }>("SELECT shape_id, body FROM shapes")) expect(canonicalShape(JSON.parse(body) as ShapeBody).shapeId).toBe(shape_id);
  const stored = await rig.rows<{ key: string }>("SELECT concat('ingest/', tenant_id, '/', kind, '/', upload_id) AS key FROM uploads");
  const { results: quarantined } = await rig.stack.worker.control.prepare("SELECT 'ingest/' || tenant_id || '/' || kind || '/' || upload_id AS key FROM quarantine").all<{ key: string }>();
  expect((await rig.bodies()).sort(), "bodies kept, and uploads stored or in quarantine").toEqual([...new Set([...stored, ...quarantined].map(({ key }) => key))].sort());
}

export type Totals = { readonly uploads: number; readonly samples: number; readonly value: bigint };

// The tenant's exact totals by every way to them: raw rows, both roll-ups, the ledger, and the API's status.
export async function expectTotals(rig: StackRig, client: Client, { uploads, samples, value }: Totals): Promise<void> {
  const of = "WHERE tenant_id = {tenant:String}";
  const [found] = await rig.rows(
    `SELECT (SELECT (sum(value), count()) FROM samples ${of}) AS raw, (SELECT (sum(value), sum(samples)) FROM samples_1h_by_exe ${of}) AS by_exe,
            (SELECT (sum(value), sum(samples)) FROM samples_1h_by_deployment ${of}) AS by_deployment, (SELECT count() FROM uploads ${of}) AS ledger`,
    { tenant: client.tenantId },
  );
  const pair = [String(value), String(samples)];
  expect(found).toEqual({ raw: pair, by_exe: pair, by_deployment: pair, ledger: String(uploads) });
  expect(await client.get("status")).toMatchObject({ samples, uploads: { stored: uploads, quarantined: 0 } });
}
