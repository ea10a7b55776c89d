// Bytes of one kind → a checked upload. The same function judges at the door (so a bad agent hears 400 at once) and in the consumer.
import { fromBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { err, ok, type Result } from "#core/result.ts";
import { verifyPart } from "#core/shape/canonical.ts";
import { decodeShape } from "#core/shape/upload/decode.ts";
import type { ShapePart } from "#core/shape/part.ts";
import { checkExecution, checkMetrics, checkSightings } from "#core/upload/check-messages.ts";
import { checkTimes, decodeSamples, type SamplesColumns } from "#core/upload/decode-samples.ts";
import { checkWorkload } from "#core/upload/check-workload.ts";
import { checkDecodedSize } from "#core/upload/decoded-size.ts";
import { readRecord } from "#core/upload/read-record.ts";
import type { UploadProblem } from "#core/upload/upload-problem.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { ExecutionUploadSchema, type ExecutionUpload } from "#schema/gen/lamella/v1/execution_pb.ts";
import { MetricsUploadSchema, type MetricsUpload } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { SightingsUploadSchema, type SightingsUpload } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { WorkloadUploadSchema, type WorkloadUpload } from "#schema/gen/lamella/v1/workload_pb.ts";
import type { UploadKind } from "#schema/upload-message.ts";

export type DecodedUpload =
  | { readonly kind: "samples"; readonly upload: SamplesColumns }
  | { readonly kind: "shapes"; readonly part: ShapePart }
  | { readonly kind: "sightings"; readonly upload: SightingsUpload }
  | { readonly kind: "executions"; readonly upload: ExecutionUpload; readonly record: ExecutionRecord | null }
  | { readonly kind: "workloads"; readonly upload: WorkloadUpload }
  | { readonly kind: "metrics"; readonly upload: MetricsUpload };

// Times are judged against the time of receipt, so a retry a day later judges the same.
export function decodeUpload(kind: UploadKind, bytes: Uint8Array, receivedAtS: number): Result<DecodedUpload, UploadProblem> {
  switch (kind) {
    case "samples": {
      const decoded = decodeSamples(bytes);
      if (!decoded.ok) return decoded;
      const late = checkTimes(decoded.value, receivedAtS);
      return late === null ? ok({ kind, upload: decoded.value }) : err(late);
    }
    case "shapes": {
      const message = decodeMessage(ShapeUploadSchema, bytes);
      if (!message.ok) return message;
      const part = decodeShape(message.value);
      if (!part.ok) return part;
      const verified = verifyPart(part.value);
      return verified.ok ? ok({ kind, part: { ...part.value, body: verified.value.body } }) : verified;
    }
    case "sightings":
      return checked(kind, decodeMessage(SightingsUploadSchema, bytes), (upload) => checkSightings(upload, receivedAtS));
    case "executions": {
      const execution = checked(kind, decodeMessage(ExecutionUploadSchema, bytes), (upload) => checkExecution(upload, receivedAtS));
      if (!execution.ok) return execution;
      const record = readRecord(execution.value.upload.digest);
      return record.ok ? ok({ ...execution.value, record: record.value }) : record;
    }
    case "workloads":
      return checked(kind, decodeMessage(WorkloadUploadSchema, bytes), checkWorkload);
    case "metrics":
      return checked(kind, decodeMessage(MetricsUploadSchema, bytes), (upload) => checkMetrics(upload, receivedAtS));
  }
}

function checked<K extends UploadKind, T>(kind: K, message: Result<T, UploadProblem>, check: (upload: T) => UploadProblem | null): Result<{ kind: K; upload: T }, UploadProblem> {
  if (!message.ok) return message;
  const problem = check(message.value);
  return problem === null ? ok({ kind, upload: message.value }) : err(problem);
}

function decodeMessage<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): Result<MessageShape<Desc>, UploadProblem> {
  const tooLarge = checkDecodedSize(schema, bytes);
  if (tooLarge !== null) return err(tooLarge);
  try {
    // Unknown fields of a newer agent are read over, not kept: 8 MiB of them would fill an isolate.
    return ok(fromBinary(schema, bytes, { readUnknownFields: false }));
  } catch (error) {
    return err({ code: "body_undecodable", detail: `not a ${schema.name}: ${error instanceof Error ? error.message : String(error)}` });
  }
}
