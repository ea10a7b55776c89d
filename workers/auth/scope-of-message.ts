// The scope of work that comes from the queue: the tenant was proven when the upload was accepted; retention is read now, so a change of plan holds.
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import type { UploadMessage } from "#schema/upload-message.ts";
import { tenantById } from "../control/tenants.ts";

// Null when the tenant no longer exists: its uploads have nowhere to go.
export async function scopeOfMessage(db: D1Database, message: UploadMessage): Promise<TenantScope | null> {
  const tenant = await tenantById(db, message.tenantId);
  return tenant && tenantScope(tenant.id, tenant.retentionDays);
}
