// uploadId = sha256(tenant ‖ kind ‖ inflated body), 64 hex digits. The tenant is inside: two tenants that send the same bytes must not share a deduplication
// token, else the second one's rows are silently dropped. The inflated body: the same message compressed anew is the same upload.
import type { UploadKind } from "#schema/upload-message.ts";

export async function uploadIdOf(tenantId: string, kind: UploadKind, inflated: Uint8Array): Promise<string> {
  const head = new TextEncoder().encode(`${tenantId}\0${kind}\0`);
  const whole = new Uint8Array(head.length + inflated.length);
  whole.set(head);
  whole.set(inflated, head.length);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function bodyKey(tenantId: string, kind: UploadKind, uploadId: string): string {
  return `ingest/${tenantId}/${kind}/${uploadId}`;
}
