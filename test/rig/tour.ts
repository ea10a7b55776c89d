// A tenant that has something of everything, and one valid call of every route for it. A route without an entry here does not compile.
import type { RouteName } from "#schema/api/routes.ts";
import type { Client, Input } from "#test/rig/client.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import type { StackRig } from "#test/rig/stack.ts";
import { until } from "#test/rig/until.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { drawRecord } from "#test/rig/draw-record.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { executionUpload, metricsUpload, oneSample, randomId, samplesUpload, shapeUpload, sightingsUpload, workloadUpload } from "#test/rig/uploads.ts";

export type Things = { readonly executionId: string; readonly frameId: string; readonly workloadId: string; readonly shapeId: string; readonly modelKey: string; readonly tokenId: string; readonly quarantinedId: string };

export const unknownThings = (): Things => ({ executionId: randomId(64), frameId: randomId(32).slice(16), workloadId: randomId(64), shapeId: randomId(64), modelKey: randomId(32), tokenId: "a".repeat(12), quarantinedId: randomId(64) });

// Live samples, a complete execution, a workload, a model with its shape, a second token, an upload in quarantine.
export async function furnish(rig: StackRig, client: Client, host: string): Promise<Things> {
  const [executionId, workloadId, modelKey, shape] = [randomId(64), randomId(64), randomId(32), drawShape(`Net\n  fc Linear weight:float32[8,${1 + (host.length % 7)}]`)];
  await client.get("flagSet", { params: { flag: "models" }, body: { on: true } });
  await client.upload("samples", samplesUpload(drawProfile("main\ngemm:gpu_kernel\n100/10"), { hostName: host }));
  await client.upload("samples", samplesUpload(oneSample(50), { hostName: host, executionId, part: 1, parts: 1 }));
  await client.upload("executions", executionUpload(executionId, 1, 50n, { modelName: "org/net", digest: encodeUtf8(JSON.stringify(drawRecord(".  Net 1 50 1"))) }));
  await client.upload("shapes", shapeUpload(shape, modelKey));
  await client.upload("workloads", workloadUpload(3, { workloadId }));
  await client.upload("metrics", metricsUpload(3 + (host.length % 7)));
  await client.upload("sightings", sightingsUpload({ modelKey, nameOrPath: `org/${host}`, hostName: host }));
  const { token } = await client.get("tokenCreate", { body: { name: `second of ${host}`, scopes: ["read"] } });
  await rig.settled();
  const quarantinedId = await quarantineOne(rig, client);
  const { frames } = await client.get("flamegraph");
  return { executionId, frameId: frames.id.at(-1)!, workloadId, shapeId: canonicalShape(shape).shapeId, modelKey, tokenId: token.id, quarantinedId };
}

async function quarantineOne(rig: StackRig, client: Client): Promise<string> {
  rig.front.down = true;
  const id = await client.upload("samples", samplesUpload(oneSample(1), { hostName: randomId(32) }));
  await until("a failed try", () => rig.log.filter((line) => line.includes(id)).length, (found) => found > 0);
  await rig.stack.worker.bodies.put(`ingest/${client.tenantId}/samples/${id}`, "no message");
  rig.front.down = false;
  await rig.stack.worker.sweep("start");
  await rig.settled();
  return id;
}

export function everyRoute({ executionId, frameId, workloadId, shapeId, tokenId, quarantinedId }: Things): Record<RouteName, Input> {
  return {
    ingest: { params: { kind: "samples" }, body: samplesUpload(oneSample(1)) },
    me: {},
    status: {},
    flamegraph: { query: { execution: executionId } },
    flamegraphExport: { query: { execution: executionId, format: "folded" } },
    flamegraphCompare: { query: { execution: executionId, a_execution: executionId } },
    flamegraphTop: { query: { by: "kernel" } },
    flamegraphSearch: { query: { search: "gemm" } },
    flamegraphTimeline: {},
    frameModules: { query: { frame: frameId } },
    moduleFrames: { query: { module_path: "*" } },
    executions: {},
    execution: { params: { id: executionId } },
    executionRecord: { params: { id: executionId } },
    executionCompare: { params: { id: executionId }, query: { with: executionId } },
    moduleHistory: { query: { path: "", model_name: "org/net" } },
    models: {},
    model: { params: { id: shapeId } },
    shapeCompare: { query: { a: shapeId, b: shapeId } },
    shape: { params: { id: shapeId } },
    shapeModule: { params: { id: shapeId }, query: { path: "fc" } },
    shapeFind: { params: { id: shapeId }, query: { q: "linear" } },
    shapeMemory: { params: { id: shapeId }, query: { tp: "2" } },
    metrics: {},
    metricSeries: { query: { metric: "kv_cache_usage_ratio" } },
    workloads: {},
    workload: { params: { id: workloadId }, query: { ttft_ms: "0.1" } },
    workloadRequests: { params: { id: workloadId }, query: { sort: "-latencyUs", limit: "2" } },
    fieldValues: { query: { field: "host.name" } },
    filterComplete: { query: { text: 'host.name == "' } },
    flags: {},
    flagSet: { params: { flag: "models" }, body: { on: true } },
    tokens: {},
    tokenCreate: { body: { name: "one more", scopes: ["admin"] } },
    tokenRevoke: { params: { id: tokenId } },
    members: {},
    audit: {},
    quarantine: {},
    quarantineReplay: { params: { uploadId: quarantinedId } },
  };
}
