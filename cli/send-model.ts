// A model's structure and a sighting of it → the server, as `python -m lamella.walk` sends them: together they are a row of the Models page, seen when and where the
// file was imported.
import { hostname } from "node:os";
import { create, toBinary } from "@bufbuild/protobuf";
import { checkDecodedSize } from "#core/upload/decoded-size.ts";
import { checkSightings } from "#core/upload/check-messages.ts";
import type { SampleContext } from "#core/upload/samples-part.ts";
import { Source } from "#schema/gen/lamella/v1/samples_pb.ts";
import { type ShapeUpload, ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { limits } from "#schema/limits.ts";
import type { Api } from "./api.ts";
import { CliError } from "./cli-error.ts";

export type SeenModel = {
  readonly path: string; // of the file it is in
  readonly nameOrPath: string;
  readonly agentVersion: string;
  readonly context?: Partial<SampleContext> | undefined;
  readonly seenAtS: number; // Unix seconds
};

// What the server would put into quarantine is refused here, before any of it is sent.
export async function sendModel(api: Api, shape: ShapeUpload, { path, nameOrPath, agentVersion, context, seenAtS }: SeenModel): Promise<void> {
  const seen = BigInt(seenAtS);
  const rootClass = shape.strings[shape.modules?.className[shape.root] ?? 0] ?? "";
  const sighting = {
    modelKey: shape.modelKey, nameOrPath, architecture: shape.architecture, rootClass, partHash: shape.partHash, tpSize: Math.max(1, shape.layout?.tpSize ?? 1), ppSize: shape.ppSize, firstSeenS: seen, lastSeenS: seen,
    hostName: context?.hostName ?? hostname(), processKey: BigInt(`0x${shape.partHash.slice(0, 15)}`), jobTag: context?.jobTag ?? "", userTags: [...(context?.userTags ?? [])],
  };
  const sightings = create(SightingsUploadSchema, { agentVersion, source: Source.IMPORT, sightings: [sighting] });
  const body = toBinary(ShapeUploadSchema, shape);
  const problem = checkSightings(sightings, seenAtS) ?? checkDecodedSize(ShapeUploadSchema, body);
  if (problem !== null) throw new CliError(`The model in ${path} cannot be sent: ${problem.detail}.`, problem.code);
  if (body.length > limits.inflatedBytesMax) throw new CliError(`The model in ${path} cannot be sent: its structure has ${body.length} bytes, over inflatedBytesMax = ${limits.inflatedBytesMax}.`, "limit_exceeded");
  await api.upload("shapes", body);
  await api.upload("sightings", toBinary(SightingsUploadSchema, sightings));
}
