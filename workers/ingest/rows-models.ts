// Shapes and sightings → rows. Pure.
import type { NativeBlock } from "#clickhouse/native.ts";
import type { TenantScope } from "#clickhouse/scope.ts";
import type { ShapePart } from "#core/shape/part.ts";
import { sizesOf, type WholeModel } from "#core/shape/whole.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import { layoutId } from "#core/shape/layout.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import type { SightingsUpload } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { block, constant, texts } from "./rows-samples.ts";

export function partRow(scope: TenantScope, part: ShapePart, storedAtS: number): NativeBlock {
  return block("shape_parts", 1, {
    tenant_id: constant(scope.tenantId, 1),
    model_key: constant(part.modelKey, 1),
    sizes: constant(sizesOf({ ...part.layout, ppSize: part.ppSize }), 1),
    pp_rank: { numbers: Uint16Array.of(part.ppRank) },
    pp_size: { numbers: Uint16Array.of(part.ppSize) },
    part_hash: constant(part.partHash, 1),
    body: constant(JSON.stringify(part.body), 1),
    layout: constant(JSON.stringify(part.layout), 1),
    stored_at: { numbers: Uint32Array.of(storedAtS) },
    run_id: constant(part.runId ?? "", 1),
  });
}

// The whole model: one row of `shapes` (immutable, under its hash) and one of `model_shapes` (which key has which shape in which layout, by which run of its stages).
export function shapeRows(scope: TenantScope, modelKey: string, { body, layout, parts }: WholeModel, storedAtS: number, merged = { runId: "", partsReceivedS: 0 }): { shapeId: string; shapes: NativeBlock; modelShapes: NativeBlock } {
  const { shapeId } = canonicalShape(body);
  const totals = shapeTotals(body);
  return {
    shapeId,
    shapes: block("shapes", 1, {
      tenant_id: constant(scope.tenantId, 1),
      shape_id: constant(shapeId, 1),
      body: constant(JSON.stringify(body), 1),
      modules: { numbers: BigUint64Array.of(BigInt(totals.modules)) },
      parameters: { numbers: BigUint64Array.of(BigInt(totals.parameters)) },
      weight_bytes: { numbers: BigUint64Array.of(BigInt(totals.weightBytes)) },
      root_class: constant(body.modules[body.root]!.className, 1),
      architecture: constant(body.architecture, 1),
      stored_at: { numbers: Uint32Array.of(storedAtS) },
    }),
    modelShapes: block("model_shapes", 1, {
      tenant_id: constant(scope.tenantId, 1),
      model_key: constant(modelKey, 1),
      shape_id: constant(shapeId, 1),
      layout_id: constant(layoutId(layout), 1),
      layout: constant(JSON.stringify(layout), 1),
      parts: { ends: [parts.length], flat: texts(parts) },
      stored_at: { numbers: Uint32Array.of(storedAtS) },
      run_id: constant(merged.runId, 1),
      parts_received_s: { numbers: BigUint64Array.of(BigInt(merged.partsReceivedS)) },
    }),
  };
}

export function sightingRows(scope: TenantScope, upload: SightingsUpload): NativeBlock {
  const all = upload.sightings;
  const text = (pick: (one: (typeof all)[number]) => string) => ({ strings: texts(all.map(pick)) });
  const seconds = (pick: (one: (typeof all)[number]) => bigint) => ({ numbers: Uint32Array.from(all, (one) => Number(pick(one))) });
  const tags = all.map((one) => [...new Set(one.userTags)].sort());
  let end = 0;
  return block("sightings", all.length, {
    tenant_id: constant(scope.tenantId, all.length),
    model_key: text((one) => one.modelKey),
    day: { numbers: Uint16Array.from(all, (one) => Math.floor(Number(one.lastSeenS) / 86_400)) },
    source: { numbers: new Int8Array(all.length).fill(upload.source) },
    tp_rank: { numbers: Uint16Array.from(all, (one) => one.tpRank) },
    pp_rank: { numbers: Uint16Array.from(all, (one) => one.ppRank) },
    host_name: text((one) => one.hostName),
    machine_id: text((one) => one.machineId),
    process_key: { numbers: BigUint64Array.from(all, (one) => one.processKey) },
    k8s_pod: text((one) => one.k8sPod),
    container_name: text((one) => one.containerName),
    part_hash: text((one) => one.partHash),
    tp_size: { numbers: Uint16Array.from(all, (one) => Math.max(1, one.tpSize)) },
    pp_size: { numbers: Uint16Array.from(all, (one) => Math.max(1, one.ppSize)) },
    served_name: text((one) => one.servedName),
    name_or_path: text((one) => one.nameOrPath),
    architecture: text((one) => one.architecture),
    root_class: text((one) => one.rootClass),
    exe_name: text((one) => one.exeName),
    script_name: text((one) => one.scriptName),
    k8s_namespace: text((one) => one.k8sNamespace),
    k8s_deployment: text((one) => one.k8sDeployment),
    cluster_name: text((one) => one.clusterName),
    slurm_job_id: text((one) => one.slurmJobId),
    slurm_job_name: text((one) => one.slurmJobName),
    slurm_job_user: text((one) => one.slurmJobUser),
    job_tag: text((one) => one.jobTag),
    user_tags: { ends: tags.map((list) => (end += list.length)), flat: texts(tags.flat()) },
    first_seen: seconds((one) => one.firstSeenS),
    last_seen: seconds((one) => one.lastSeenS),
    run_id: text((one) => (one.ppSize > 1 ? one.runId : "")), // a model in one piece is its own shape, whatever the run
  });
}
