// Decodes what lamella/wire.py encoded with the generated code, and reads the shapes with core/shape, so Python tests can compare both sides.
// In: [{ kind: "shapes" | "sightings", base64, name }]. Out, in the same order: { message } and for shapes { shapeId, tree, totals, fromJsonEqual }.
import { readFileSync } from "node:fs";
import { equals, fromBinary, fromJson, toJson, type JsonValue } from "@bufbuild/protobuf";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { verifyPart } from "#core/shape/canonical.ts";
import { decodeShape } from "#core/shape/upload/decode.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import { treeText } from "#core/shape/tree-text.ts";

const spelling = { useProtoFieldName: true, enumAsInteger: true, alwaysEmitImplicit: true } as const;
const requests = JSON.parse(readFileSync(0, "utf8")) as { kind: "shapes" | "sightings"; base64: string; name: string; json?: JsonValue }[];

const answers = requests.map(({ kind, base64, name, json }) => {
  const bytes = Buffer.from(base64, "base64");
  if (kind === "sightings") return { message: toJson(SightingsUploadSchema, fromBinary(SightingsUploadSchema, bytes), spelling) };
  const upload = fromBinary(ShapeUploadSchema, bytes);
  const fromJsonEqual = json === undefined ? null : equals(ShapeUploadSchema, upload, fromJson(ShapeUploadSchema, json));
  const message = toJson(ShapeUploadSchema, upload, spelling);
  const part = decodeShape(upload);
  if (!part.ok) return { message, fromJsonEqual, problem: part.error.detail };
  const verified = verifyPart(part.value);
  if (!verified.ok) return { message, fromJsonEqual, problem: verified.error.detail };
  return { message, fromJsonEqual, shapeId: verified.value.shapeId, tree: treeText(verified.value.body, name), totals: shapeTotals(verified.value.body) };
});
process.stdout.write(JSON.stringify(answers));
