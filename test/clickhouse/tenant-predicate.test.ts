// Two walls between tenants. First: every text of clickhouse/ names the tenant once for each table it reads, and holds nothing a caller gave. Second: with that
// predicate taken out, a reader still sees its own rows alone, because the store filters by the tenant of the session.
import { create } from "@bufbuild/protobuf";
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricSources, metricsSeen, metricSteps } from "#clickhouse/engine-metrics.ts";
import { executionRecord, moduleHistory } from "#clickhouse/execution-records.ts";
import * as executions from "#clickhouse/executions.ts";
import { fieldValues, type ValuesWanted } from "#clickhouse/field-values.ts";
import * as compare from "#clickhouse/compare.ts";
import { flamegraphRows, foldedNodes } from "#clickhouse/flamegraph.ts";
import { frameById, frameModules } from "#clickhouse/frame-modules.ts";
import { searchedSums, whereMatching } from "#clickhouse/frame-search.ts";
import { openStore, type Query } from "#clickhouse/client.ts";
import { modelsBetween } from "#clickhouse/models.ts";
import { liveProfileTypes } from "#clickhouse/profile-types.ts";
import { moduleSums, rankedSums } from "#clickhouse/ranked-sums.ts";
import { hostSums, intervalSums, type SampleSelection, stackSums } from "#clickhouse/samples.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { layoutsSeen, namesOfShape, shapeById, shapeLayouts, shapeParts } from "#clickhouse/shapes.ts";
import { stackRows } from "#clickhouse/stacks.ts";
import { lastSampleByHost, statusCounts } from "#clickhouse/status.ts";
import { type TableName, tenantTables } from "#clickhouse/tables.ts";
import { selectionSums, timeline } from "#clickhouse/timeline.ts";
import { ingestedThrough, storedParts, storedUploads } from "#clickhouse/uploads.ts";
import { wholeStacks } from "#core/flamegraph/stack-view.ts";
import { rollupFor, where } from "#clickhouse/where.ts";
import { errorsOf, failuresOf, goodputOf, representativesOf, requestsOf } from "#clickhouse/workload-requests.ts";
import { workloadById, workloadsBetween } from "#clickhouse/workloads.ts";
import { rankedBy } from "#schema/ranked-by.ts";
import { type FieldName, fieldNames, fieldsOfPage } from "#schema/fields.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import type { Filter } from "#core/filter/filter.ts";
import { parseSearch } from "#core/flamegraph/search.ts";
import { contentIds } from "#core/upload/content-id.ts";
import { decodeSamples } from "#core/upload/decode-samples.ts";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { WorkloadUploadSchema } from "#schema/gen/lamella/v1/workload_pb.ts";
import { migrateStore } from "#local/store.ts";
import { Embedded } from "#test/local/clickhouse/embedded.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { drawRecord } from "#test/rig/draw-record.ts";
import { encodeUpload, smallUpload } from "#test/rig/samples-uploads.ts";
import { executionRow, ledgerRow, metricRows } from "#workers/ingest/rows-executions.ts";
import { partRow, shapeRows, sightingRows } from "#workers/ingest/rows-models.ts";
import { recordRows } from "#workers/ingest/rows-records.ts";
import { sampleRows } from "#workers/ingest/rows-samples.ts";
import { requestRows, workloadRow } from "#workers/ingest/rows-workloads.ts";
import type { NativeBlock } from "#clickhouse/native.ts";

const nowS = Math.floor(Date.now() / 1_000);
const [a, b, nobody] = ["a", "b", "c"].map((letter) => tenantScope(letter.repeat(16), 30)) as [TenantScope, TenantScope, TenantScope];
const modelKey = "0123456789abcdef0123456789abcdef";
const executionId = "ab".repeat(32);
const small = decodeSamples(encodeUpload(smallUpload()));
if (!small.ok) throw new Error(small.error.detail);
const smallFrameId = String(contentIds(small.value).frames[1]);
const hourS = 3_600;

// What a caller may choose. Two sets of the same shape must give the same text.
type Chosen = { text: string; id: string; key: string; fromS: number; toS: number; n: number };
const plain: Chosen = { text: "node-7", id: executionId, key: modelKey, fromS: nowS - (nowS % hourS) - 24 * hourS, toS: nowS + hourS - (nowS % hourS), n: 100 };
const hostile: Chosen = { text: "') OR 1 = 1 -- {tenant:String}", id: "' OR ''='", key: "\\'; DROP TABLE samples", fromS: plain.fromS - 48 * hourS, toS: plain.toS - hourS, n: 7 };

const everyField = (names: readonly FieldName[], text: string): Filter => ({
  kind: "or", operands: names.flatMap((field) => (["==", "!=", "contains", "matches", "has"] as const).map((operator) => ({ kind: "condition" as const, field, operator, values: operator === "has" ? [] : [text.replaceAll(/[^a-z0-9-]/gi, "x")] }) as never)),
});

function builders(scope: TenantScope, { text, id, key, fromS, toS, n }: Chosen): Record<string, Query> {
  const selection = (change: Partial<SampleSelection>): SampleSelection => ({ scope, profileType: "cuda", executionId: "", fromS, toS, nowS, where: where({ kind: "everything" }, "samples"), rollup: null, ...change });
  const filter = everyField(fieldNames, text);
  const some = { where: where(filter, "samples"), rollup: rollupFor(filter) };
  const seen = { fromS, toS, where: where(everyField(fieldsOfPage("models"), text), "sightings"), sort: { column: "lastSeen" as const, descending: true }, limit: n };
  const levels = { scope, fromS, toS, nowS, labels: [] };
  const metric = "requests_running";
  const requestsPage = { sort: { column: "tpotUs" as const, descending: true }, offset: 0, limit: n };
  const values = (change: Partial<ValuesWanted>): ValuesWanted => ({ scope, field: "host.name", table: "samples", test: "startsWith", text: text.slice(0, 2), fromS, toS, nowS, bytesMax: n, limit: n, ...change });
  const filteredLevels = { ...levels, engine: text, hostNames: [text], modelName: text, labels: [`host=${text}`] };
  return {
    metricSources: metricSources({ ...levels, fromS: toS - 24 * hourS, names: [metric, text] }), "metricSources, of some": metricSources({ ...levels, fromS: toS - 24 * hourS, names: [metric, text], sources: [{ host_name: "node-7", source: "" }, { host_name: text, source: text }] }),
    metricsSeen: metricsSeen({ ...levels, fromS: toS - 24 * hourS, placesMax: n, limit: n }), "metricsSeen, short": metricsSeen({ ...levels, fromS: toS - 5 * hourS, placesMax: n, limit: n }), "metricsSeen, filtered": metricsSeen({ ...filteredLevels, fromS: toS - 24 * hourS, placesMax: n, limit: n }), "metricsSeen, named": metricsSeen({ ...levels, fromS: toS - 24 * hourS, names: [metric, text], hostNames: ["node-7", text], placesMax: n, limit: n }), "metricsSeen, days": metricsSeen({ ...levels, fromS: toS - 80 * hourS, placesMax: n, limit: n }),
    metricSteps: metricSteps({ ...levels, names: [metric], stepS: 60 }), "metricSteps, roll-up": metricSteps({ ...levels, names: [metric], stepS: hourS }),
    "metricSteps, roll-up and edges": metricSteps({ ...levels, fromS: fromS + 60, toS: toS - 60, names: [metric], stepS: 2 * hourS }), "metricSteps, filtered": metricSteps({ ...filteredLevels, names: [metric, text], stepS: 60 }),
    executionById: executions.executionById(id), executionsBetween: executions.executionsBetween({ fromS, toS, limit: n, prefix: "", after: { importedAtS: toS, id: "" } }), latestExecution: executions.latestExecution(),
    executionRecord: executionRecord(id), moduleHistory: moduleHistory({ fromS, toS, limit: n, path: "", modelName: "org/net", after: { importedAtS: toS, id: "" } }),
    fieldValues: fieldValues(values({})), "fieldValues, by hour": fieldValues(values({ fromS: toS - 5 * hourS })), "fieldValues, tags": fieldValues(values({ field: "user.tag", text: "", fromS: toS - 5 * hourS })),
    "fieldValues, kernels": fieldValues(values({ field: "kernel.name", text: "" })), "fieldValues, frame types": fieldValues(values({ field: "profile.frame.type", test: "contains", text: "" })),
    "fieldValues, frames of long ago": fieldValues(values({ field: "module.path", text: "", fromS: fromS - 48 * hourS })), "fieldValues, processes": fieldValues(values({ table: "sightings" })),
    liveProfileTypes: liveProfileTypes(fromS, toS), "liveProfileTypes, short": liveProfileTypes(toS - 5 * hourS, toS),
    "stackSums, raw": stackSums(selection({})), "stackSums, filtered": stackSums(selection(some)), "stackSums, roll-up": stackSums(selection({ rollup: "samples_1h_by_exe" })),
    "stackSums, roll-up and edges": stackSums(selection({ fromS: fromS + 60, toS: toS - 60, rollup: "samples_1h_by_deployment" })),
    "stackSums, execution": stackSums(selection({ executionId: id })),
    ...Object.fromEntries(rankedBy.map((by) => [`rankedSums, by ${by}`, rankedSums(selection(some), by, "total", n)])), "rankedSums, by self": rankedSums(selection({ rollup: "samples_1h_by_exe" }), "module", "self", n),
    moduleSums: moduleSums(selection({}), { pathPattern: "." }, false, n), "moduleSums, together": moduleSums(selection(some), { pathPattern: text, modelKey: key }, true, n),
    frameModules: frameModules(selection({}), smallFrameId, n), frameById: frameById(smallFrameId),
    searchedSums: searchedSums(selection({}), parseSearch(`a, /./, ${text}`)), "searchedSums, a word": searchedSums(selection(some), parseSearch("flash")), "searchedSums, a pattern": searchedSums(selection({}), parseSearch("/k.rn/")),
    intervalSums: intervalSums(selection({}), { seconds: n }), "intervalSums, steps": intervalSums(selection({ executionId: id }), "step"),
    timeline: timeline(selection({}), { seconds: n }, n), "timeline, hours": timeline(selection({ rollup: "samples_1h_by_exe" }), { seconds: 2 * hourS }, n),
    "timeline, searched": timeline(selection({ where: whereMatching(some.where, parseSearch(`flash, /[a-z]/, ${text}`)) }), { seconds: 60 }, n), selectionSums: selectionSums(selection({ rollup: "samples_1h_by_exe" })),
    "foldedNodes, hidden kinds": foldedNodes(selection(some), { ...wholeStacks, hide: new Set(["python", "layer"]) }, n), flamegraphRows: flamegraphRows(selection(some), wholeStacks, n),
    stackRows: stackRows(selection(some), wholeStacks, { stacksMax: n, nodesMax: n }), "stackRows, folded": stackRows(selection(some), { ...wholeStacks, foldLayers: true, hide: new Set(["python"]) }, { stacksMax: n, nodesMax: n }),
    "flamegraphRows, every view": flamegraphRows(selection(some), { hide: new Set(["python"]), foldLayers: true, layersByPath: true, around: { frame: "96", side: "callers" }, invert: true, focus: ["96", "5"] }, n),
    comparedNodes: compare.comparedNodes(selection(some), selection({ rollup: "samples_1h_by_exe" }), wholeStacks, n), moduleSeries: compare.moduleSeries(selection(some), { seconds: 60 }, true), "moduleSeries, hourly": compare.moduleSeries(selection({ rollup: "samples_1h_by_exe" }), { seconds: hourS }, false),
    kernelSeries: compare.kernelSeries(selection({ executionId: id }), "step"), hostSums: hostSums(selection({ rollup: "samples_1h_by_exe" })), hostsOf: compare.hostsOf(selection(some), n),
    modelsBetween: modelsBetween({ ...seen, where: { sql: "1 = 1", params: {} } }), "modelsBetween, filtered": modelsBetween(seen),
    "modelsBetween, one": modelsBetween({ ...seen, id: key }), "modelsBetween, next page": modelsBetween({ ...seen, after: { key: String(toS), id: key } }),
    "modelsBetween, next page by name": modelsBetween({ ...seen, sort: { column: "name", descending: false }, after: { key: text.slice(0, 2), id: key } }),
    shapeById: shapeById(id), shapeParts: shapeParts(key), shapeLayouts: shapeLayouts(id, { newest: n }), "shapeLayouts, one": shapeLayouts(id, { id }), layoutsSeen: layoutsSeen(id, fromS, toS), namesOfShape: namesOfShape(id), statusCounts: statusCounts(), lastSampleByHost: lastSampleByHost(n),
    workloadById: workloadById(id), workloadsBetween: workloadsBetween({ fromS, toS, limit: n, prefix: "", after: { receivedAtMs: toS * 1_000, id: "" } }),
    requestsOf: requestsOf(id, requestsPage), representativesOf: representativesOf(id, [10, 50, 90]), failuresOf: failuresOf(id, n), errorsOf: errorsOf(id, requestsPage),
    goodputOf: goodputOf(id, {}), "goodputOf, limits": goodputOf(id, { ttft: n, tpot: n, e2e: n }),
    storedUploads: storedUploads([id, text]), storedParts: storedParts(id), ingestedThrough: ingestedThrough(),
  };
}

const predicate = "tenant_id = {tenant:String}";
const names = Object.keys(builders(a, plain));

describe("the texts", () => {
  // Everything the room exports that is not a query; a new query without a line above fails here.
  const notQueries = ["openStore", "rowsOfText", "newestExecutions", "pageConditions", "migrate", "renderMigration", "encodeNative", "retainedFromS", "tenantScope", "storeError", "StoreError", "where", "whereMatching", "rollupFor", "framesOf", "asStage", "viewSql", "frameNames", "modulesSql", "nodesOf", "byFrame", "floorTo", "ceilingTo", "moment", "prefix", "isIndex", "isIndexed", "isInferredBlock"];

  test("every query of the room is among them", async () => {
    const folder = new URL("../../clickhouse/", import.meta.url);
    const exported: string[] = [];
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith("-cli.ts"))) {
      const room = (await import(new URL(file, folder).href)) as Record<string, unknown>;
      exported.push(...Object.keys(room).filter((name) => typeof room[name] === "function"));
    }
    const known = new Set([...notQueries, ...names.map((name) => name.split(",")[0]!)]);
    expect(exported.filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(names)("%s: each table with its tenant", (name) => {
    const { sql } = builders(a, plain)[name]!;
    const reads = [...sql.matchAll(/\b(?:FROM|(?<!ARRAY )JOIN)\s+(\w+)/g)].map(([, table]) => table!);
    expect(reads.length).toBeGreaterThan(0);
    for (const table of reads) expect(tenantTables).toContain(table);
    // Right behind the table's name, so that no OR stands before it.
    expect([...sql.matchAll(/\bFROM\s+\w+(?:\s+AS\s+\w+)?\s+WHERE tenant_id = \{tenant:String\}(?=\s|\))(?!\s+OR\b)|\bFROM\s+\w+(?:\s+AS\s+\w+)?\s+WHERE tenant_id = \{tenant:String\}$/g)]).toHaveLength(reads.length);
    expect(sql.split(predicate)).toHaveLength(reads.length + 1);
  });

  test.each(names)("%s: nothing of a caller in it", (name) => {
    const [one, other] = [builders(a, plain)[name]!, builders(b, hostile)[name]!];
    expect(other.sql).toBe(one.sql);
    expect(Object.keys(other.params)).toEqual(Object.keys(one.params));
    for (const placeholder of one.sql.matchAll(/\{(\w+):/g)) expect(["tenant", ...Object.keys(one.params)]).toContain(placeholder[1]);
  });
});

describe("the wall of the store", () => {
  const embedded = new Embedded();
  beforeAll(async () => {
    await embedded.start();
    const { url, credentials } = embedded.clickhouse;
    await migrateStore(url, "lamella", credentials.writer, null, () => undefined);
    const store = openStore({ url, database: "lamella", ...credentials, remote: false });
    // The same ids and names for both; values, hosts and times differ.
    for (const [scope, factor, host] of [[a, 1n, "node-7"], [b, 1_000n, "node-8"]] as const) {
      const put = (table: TableName, block: NativeBlock) => store.insert(scope, table, block, `${scope.tenantId}:${table}:${put.calls++}`);
      put.calls = 0;
      for (const execution of ["", executionId]) {
        const upload = smallUpload();
        Object.assign(upload, { executionId: execution, part: execution === "" ? 0 : 1, parts: execution === "" ? 0 : 1, baseTimeS: BigInt(nowS - 2 * hourS) });
        upload.strings[7] = host;
        upload.samples.value = [18_432n * factor, 600n * factor, 7n * factor];
        const decoded = decodeSamples(encodeUpload(upload));
        if (!decoded.ok) throw new Error(decoded.error.detail);
        const { frames, stacks, samples } = sampleRows(scope, decoded.value, nowS);
        await put("frames", frames());
        await put("stacks", stacks());
        await put("samples", samples());
        const message = { v: 1 as const, tenantId: scope.tenantId, kind: "samples" as const, uploadId: executionId, receivedAtMs: (nowS - Number(factor)) * 1_000, bodyBytes: 100 };
        await put("uploads", ledgerRow(scope, message, { samples: 3 * Number(factor), valueTotal: factor, stacks: 2, frames: 2, agentVersion: "1", executionId: execution, part: upload.part, parts: upload.parts }, nowS * 1_000));
      }
      const drawn = recordRows(scope, { executionId, importedAtS: BigInt(nowS) }, drawRecord(`.  Net 1 ${factor} 1`), executionId, nowS * 1_000);
      await put("execution_records", drawn.record);
      await put("execution_nodes", drawn.nodes);
      await put("executions", executionRow(scope, create(ExecutionUploadSchema, { executionId, name: `of ${host}`, profileType: 1, importedAtS: BigInt(nowS), parts: 1, totalValue: factor, modelName: "org/net" }), executionId, nowS * 1_000));
      await put("engine_metrics", metricRows(scope, create(MetricsUploadSchema, {
        baseTimeS: BigInt(nowS - 2 * hourS), strings: ["", "requests_running", host, `host=${host}`], seriesMetric: [1], seriesEngine: [2], seriesHostName: [2], seriesModelName: [2], seriesLabels: [3],
        pointSeries: [0, 0], pointTimeS: [0n, 60n], pointValue: [Number(factor), 0],
      })));
      const workload = create(WorkloadUploadSchema, {
        workloadId: executionId, name: `of ${host}`, startUs: [0n, 0n, 0n], ttftUs: [factor, 1n, 1n], latencyUs: [factor * 2n, 2n, 9n], inputTokens: [1, 1, 1], outputTokens: [3, 3, 3], failed: [false, factor !== 1n, true], errors: ["", host], error: [0, 0, 1],
      });
      await put("workload_requests", requestRows(scope, workload, nowS));
      await put("workloads", workloadRow(scope, workload, nowS * 1_000, nowS * 1_000));
      const body = drawShape(`Net\n  fc: Linear w:float32[${factor}]`);
      const layout = { tpSize: Number(factor), ppSize: 1, epSize: 1, dpSize: 1, sharded: [], padded: [], replicated: [], aliases: [] };
      await put("shape_parts", partRow(scope, { agentVersion: "1", modelKey, ppRank: 0, ppSize: 2, partHash: executionId, body, layout }, nowS));
      const { shapes, modelShapes } = shapeRows(scope, modelKey, { body, layout, parts: [canonicalShape(body).shapeId] }, nowS);
      // Under one id for both, which only a hash collision could make.
      const underOneId = (block: NativeBlock): NativeBlock => ({
        ...block, columns: block.columns.map((column) => (["shape_id", "layout_id"].includes(column.name) ? { ...column, strings: { dictionary: [executionId], index: [0] } } : column)) as NativeBlock["columns"],
      });
      await put("shapes", underOneId(shapes));
      await put("model_shapes", underOneId(modelShapes));
      await put("sightings", sightingRows(scope, create(SightingsUploadSchema, {
        source: 1, sightings: [{ modelKey, tpSize: Number(factor), servedName: `served by ${host}`, firstSeenS: BigInt(nowS - 60), lastSeenS: BigInt(nowS), hostName: host, machineId: host, processKey: factor }],
      })));
    }
  });
  afterAll(() => embedded.remove());

  // The lines of the answer, sorted: heaviest-first ties may come in any order.
  async function read(query: Query, tenant: TenantScope | null, sessionTenant: TenantScope | null): Promise<string[]> {
    const literal = (value: unknown): string => (Array.isArray(value) ? `[${value.map((one) => `'${String(one)}'`).join(",")}]` : String(value));
    const params = Object.fromEntries(Object.entries({ ...query.params, ...(tenant && { tenant: tenant.tenantId }) }).map(([name, value]) => [`param_${name}`, literal(value)]));
    const answer = await embedded.send("reader", query.sql, { params: { database: "lamella", default_format: "JSONEachRow", ...params, ...(sessionTenant && { SQL_tenant: sessionTenant.tenantId }) } });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.text.split("\n").sort();
  }
  const sameForBoth = ["storedUploads", "storedParts", "liveProfileTypes", "liveProfileTypes, short", "frameById", "metricSources", "metricSources, of some", ...["tags", "kernels", "frame types", "frames of long ago"].map((what) => `fieldValues, ${what}`)]; // ids, types and names alone
  const withoutPredicate = (query: Query): Query => ({ ...query, sql: query.sql.replaceAll(predicate, "1 = 1") });

  test.each(names)("%s", async (name) => {
    const [mine, theirs] = [builders(a, plain)[name]!, builders(b, plain)[name]!];
    const [ofA, ofB, ofNobody] = [await read(mine, a, a), await read(theirs, b, b), await read(mine, nobody, nobody)];
    expect(await read(withoutPredicate(mine), null, a)).toEqual(ofA);
    expect(await read(withoutPredicate(theirs), null, b)).toEqual(ofB);
    expect(await read(withoutPredicate(mine), null, null)).toEqual(ofNobody);
    // Asking for the other tenant by parameter, in a session of one's own, answers nothing.
    expect(await read(mine, b, a)).toEqual(ofNobody);
    // And the case is a case: both tenants have something to see, and not the same.
    expect(ofA).not.toEqual(ofNobody);
    if (!sameForBoth.includes(name)) expect(ofA).not.toEqual(ofB);
  });
});
