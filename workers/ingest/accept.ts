// POST /t/{tenant}/ingest/{kind}: the door of every upload. The caller is known and within its limits before the first byte is read. 202 means: the body is
// in R2, the upload is noted as pending, the queue has its pointer. Nothing here touches the store; when any step fails the agent keeps its copy.
import { ApiError } from "../problem.ts";
import { notePending } from "../control/pending.ts";
import type { Caller } from "../auth/caller.ts";
import type { Env } from "../env.ts";
import { limits } from "#schema/limits.ts";
import type { UploadKind, UploadMessage } from "#schema/upload-message.ts";
import { inflate, InflateError, readBody } from "./body.ts";
import { decodeUpload } from "./decode-upload.ts";
import { DoorRoom } from "./door-room.ts";
import { foreignJobTag } from "./job-tag.ts";
import { bodyKey, uploadIdOf } from "./upload-id.ts";

const mediaTypes = ["application/x-protobuf", "application/protobuf"];

export async function accept(request: Request, env: Env, caller: Caller, kind: UploadKind, nowMs: number): Promise<{ uploadId: string }> {
  checkHeaders(request);
  const room = new DoorRoom();
  try {
    return await acceptInto(room, request, env, caller, kind, nowMs);
  } finally {
    room.leave();
  }
}

async function acceptInto(room: DoorRoom, request: Request, env: Env, caller: Caller, kind: UploadKind, nowMs: number): Promise<{ uploadId: string }> {
  const sent = await readBody(request, limits.bodyBytesMax, "That is the bound of what is sent (bodyBytesMax): compress it with gzip, or send it in parts.", room.take);
  if (sent.length === 0) throw new ApiError("body_undecodable", { detail: "The body is empty. Send one protobuf message of the kind in the address." });
  let inflated: Uint8Array;
  try {
    inflated = await inflate(sent, room.take);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new ApiError(error.code === "limit_exceeded" ? "body_too_large" : "body_undecodable", { detail: `${error.message}.` });
  }
  const decoded = decodeUpload(kind, inflated, Math.floor(nowMs / 1000));
  if (!decoded.ok) {
    const code = decoded.error.code === "limit_exceeded" ? "limit_exceeded" : "body_undecodable";
    throw new ApiError(code, { detail: `${decoded.error.detail}.` });
  }
  const foreign = caller.jobTag === null ? null : foreignJobTag(decoded.value, caller.jobTag);
  if (foreign !== null) {
    throw new ApiError("scope_missing", { detail: `The token is bound to the job tag "${caller.jobTag}"; the upload has "${foreign}". Set the tag (lamella import --job-tag), or use a token that is not bound.` });
  }
  const message: UploadMessage = { v: 1, tenantId: caller.tenant.id, kind, uploadId: await uploadIdOf(caller.tenant.id, kind, inflated), receivedAtMs: nowMs, bodyBytes: sent.length, inflatedBytes: inflated.length };
  try {
    await env.BODIES.put(bodyKey(message.tenantId, kind, message.uploadId), sent);
    await notePending(env.CONTROL, message, nowMs);
    await env.UPLOADS.send(message, { contentType: "json" });
  } catch (error) {
    throw new ApiError("store_unavailable", { detail: "The upload could not be queued; send the same bytes again, they count once.", internal: String(error), retryAfterS: 10 });
  }
  return { uploadId: message.uploadId };
}

function checkHeaders(request: Request): void {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (!mediaTypes.includes(type)) {
    throw new ApiError("unsupported_media_type", { detail: `Content-Type is "${type}"; send ${mediaTypes[0]}, one message as schema/proto describes it.` });
  }
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "gzip" && encoding !== "identity") {
    throw new ApiError("unsupported_media_type", { detail: `Content-Encoding is "${encoding}"; send gzip (one member) or nothing.` });
  }
}
