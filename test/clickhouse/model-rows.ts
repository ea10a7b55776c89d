// Rows of the Models page as uploads make them, in a real ClickHouse of its own; every case is a tenant of its own.
import { create } from "@bufbuild/protobuf";
import { modelsBetween, type ModelsRow, type ModelsSelection } from "#clickhouse/models.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import { singleRank } from "#core/shape/layout.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { Source } from "#schema/gen/lamella/v1/samples_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { openEngine } from "#test/rig/engine.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { shapeRows, sightingRows } from "#workers/ingest/rows-models.ts";

export const dayS = 86_400;
export const noonS = Math.floor(Date.now() / 1_000 / dayS) * dayS - 2 * dayS + dayS / 2; // of the day before yesterday
export const key = (letter: string) => letter.repeat(32);

export type Seen = {
  modelKey?: string; servedName?: string; nameOrPath?: string; architecture?: string; rootClass?: string; tp?: [rank: number, size: number]; pp?: [rank: number, size: number];
  from?: number; to?: number; host?: string; process?: number; jobTag?: string; userTags?: string[]; partHash?: string; runId?: string; source?: Source;
};

export function openModelRows() {
  const engine = openEngine();
  const letters = "abcdefghijklmnopqrstuvwxyz";
  let tenants = 0;
  const newTenant = () => tenantScope(letters[tenants % 26]!.repeat(15) + letters[Math.floor(tenants++ / 26)]!, 30);

  async function see(scope: TenantScope, ...all: Seen[]): Promise<void> {
    for (const { source = Source.LIVE, ...seen } of all) {
      const { modelKey = key("a"), tp = [0, 1], pp = [0, 1], from = noonS - 3_600, to = noonS, host = "node-1", process = 1, userTags = [], ...texts } = seen;
      await insertBlock(engine, "sightings", sightingRows(scope, create(SightingsUploadSchema, {
        source, sightings: [{
          modelKey, tpRank: tp[0], tpSize: tp[1], ppRank: pp[0], ppSize: pp[1], firstSeenS: BigInt(from), lastSeenS: BigInt(to), hostName: host, machineId: `machine of ${host}`,
          processKey: BigInt(process), userTags, ...texts,
        }],
      })));
    }
  }

  async function storeShape(scope: TenantScope, modelKey: string, picture: string, layout: ShapeLayout = singleRank(), storedAtS = noonS, parts?: string[], runId = "", partsReceivedS = storedAtS): Promise<string> {
    const body = drawShape(picture);
    const { shapeId, shapes, modelShapes } = shapeRows(scope, modelKey, { body, layout, parts: parts ?? [canonicalShape(body).shapeId] }, storedAtS, { runId, partsReceivedS });
    await insertBlock(engine, "shapes", shapes);
    await insertBlock(engine, "model_shapes", modelShapes);
    return shapeId;
  }

  const list = (scope: TenantScope, change: Partial<ModelsSelection> = {}): Promise<ModelsRow[]> =>
    ask(engine, scope, modelsBetween({ fromS: noonS - dayS, toS: noonS + dayS, where: { sql: "1 = 1", params: {} }, sort: { column: "lastSeen", descending: true }, limit: 100, ...change }));

  return { engine, newTenant, see, storeShape, list };
}
