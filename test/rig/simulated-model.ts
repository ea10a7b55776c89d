// A model that was never loaded: its structure, sightings and simulated samples, stored as an agent would send them.
import type { ShapeLayout } from "#core/shape/part.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import type { Client } from "#test/rig/client.ts";
import { simulatedSamples, type Simulated } from "#test/rig/simulated-samples.ts";
import { randomId, samplesUpload, shapeUpload, sightingsUpload } from "#test/rig/uploads.ts";

export type SimulatedModel = Pick<Simulated, "slow"> & { readonly name: string; readonly layout?: ShapeLayout; readonly hosts?: readonly string[]; readonly samples?: boolean };

// Answers its model key.
export async function storeSimulatedModel(client: Client, body: ShapeBody, { name, slow, layout, hosts = ["simulated-1"], samples = true }: SimulatedModel): Promise<string> {
  const modelKey = randomId(32);
  const architecture = body.architecture || body.modules[body.root]!.className;
  await client.upload("shapes", shapeUpload(body, modelKey, { rank: 0, of: 1 }, undefined, layout));
  for (const hostName of hosts) {
    await client.upload("sightings", sightingsUpload({ modelKey, nameOrPath: name, architecture, hostName, tpSize: layout?.tpSize ?? 1 }));
    if (samples) await client.upload("samples", samplesUpload(simulatedSamples(body, { modelName: name, modelKey, ...(slow === undefined ? {} : { slow }) }), { hostName, gpuName: "simulated GPU" }));
  }
  return modelKey;
}
