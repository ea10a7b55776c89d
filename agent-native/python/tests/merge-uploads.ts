// Merges the uploads of pipeline stages as the consumer does. In: base64 of ShapeUploads. Out: { shapeId, layoutId, tpSize, ppSize } or { missing: stages }.
import { readFileSync } from "node:fs";
import { fromBinary } from "@bufbuild/protobuf";
import { canonicalShape, verifyPart } from "#core/shape/canonical.ts";
import { decodeShape } from "#core/shape/upload/decode.ts";
import { layoutId } from "#core/shape/layout.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import { wholeModel } from "#core/shape/whole.ts";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";

const parts = (JSON.parse(readFileSync(0, "utf8")) as string[]).map((base64) => {
  const part = decodeShape(fromBinary(ShapeUploadSchema, Buffer.from(base64, "base64")));
  if (!part.ok) throw new Error(part.error.detail);
  const verified = verifyPart(part.value);
  if (!verified.ok) throw new Error(verified.error.detail);
  return part.value;
});
const merged = wholeModel(parts);
if (merged.ok) {
  const { body, layout } = merged.value;
  const { tpSize, ppSize } = layout;
  process.stdout.write(JSON.stringify({ shapeId: canonicalShape(body).shapeId, layoutId: layoutId(layout), tpSize, ppSize, parameters: shapeTotals(body).parameters }));
} else if (merged.error.kind === "missing_stages") process.stdout.write(JSON.stringify({ missing: merged.error.stages }));
else throw new Error(merged.error.detail);
