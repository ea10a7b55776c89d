// Accepted uploads that are not stored yet, and those that never can be. A row of `pending` is written before the 202 and removed after the ledger row (or
// moved to quarantine in one transaction): whatever dies in between, the sweep finds it. It also is what "data is current to" is read from.
import { limits } from "#schema/limits.ts";
import type { QuarantineCode } from "#schema/errors.ts";
import type { UploadKind, UploadMessage } from "#schema/upload-message.ts";

export async function notePending(db: D1Database, message: UploadMessage, nowMs: number): Promise<void> {
  await db
    .prepare("INSERT INTO pending (tenant_id, kind, upload_id, received_at, body_bytes, inflated_bytes, queued_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
    .bind(message.tenantId, message.kind, message.uploadId, message.receivedAtMs, message.bodyBytes, message.inflatedBytes ?? null, nowMs)
    .run();
}

// After the ledger row. An upload may have been in quarantine and then sent again by its producer: it is no longer something to look after.
export async function noteStored(db: D1Database, tenantId: string, uploadId: string, nowMs: number): Promise<void> {
  await db.batch([
    db.prepare("DELETE FROM pending WHERE tenant_id = ? AND upload_id = ?").bind(tenantId, uploadId),
    db.prepare("UPDATE quarantine SET replayed_at = coalesce(replayed_at, ?) WHERE tenant_id = ? AND upload_id = ?").bind(nowMs, tenantId, uploadId),
  ]);
}

export async function clearPending(db: D1Database, tenantId: string, uploadId: string): Promise<void> {
  await db.prepare("DELETE FROM pending WHERE tenant_id = ? AND upload_id = ?").bind(tenantId, uploadId).run();
}

// Uploads of all tenants queued longer ago than `olderThanMs`, oldest first. Each sweep of one doubles its wait: a store that is down for an hour is not
// flooded with copies of what it has not taken yet.
export async function overdue(db: D1Database, nowMs: number, olderThanMs: number): Promise<UploadMessage[]> {
  const { results } = await db
    .prepare("SELECT tenant_id, kind, upload_id, received_at, body_bytes, inflated_bytes FROM pending WHERE queued_at <= ?2 - ?1 AND queued_at + ?1 * (1 << min(sweeps, 6)) <= ?2 ORDER BY queued_at LIMIT ?3")
    .bind(olderThanMs, nowMs, limits.sweepUploadsPerRunMax)
    .all<{ tenant_id: string; kind: UploadKind; upload_id: string; received_at: number; body_bytes: number; inflated_bytes: number | null }>();
  return results.map((row) => ({
    v: 1, tenantId: row.tenant_id, kind: row.kind, uploadId: row.upload_id, receivedAtMs: row.received_at, bodyBytes: row.body_bytes,
    ...(row.inflated_bytes === null ? {} : { inflatedBytes: row.inflated_bytes }),
  }));
}

export async function noteSwept(db: D1Database, messages: readonly UploadMessage[], nowMs: number): Promise<void> {
  // D1 takes 100 bound parameters a statement: the keys travel as one JSON text, as pairs so that the primary key is used.
  await db
    .prepare("UPDATE pending SET queued_at = ?1, sweeps = sweeps + 1 WHERE (tenant_id, upload_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))")
    .bind(nowMs, JSON.stringify(messages.map((message) => [message.tenantId, message.uploadId])))
    .run();
}

// Of these upload ids, those that wait in any tenant.
export async function stillPending(db: D1Database, uploadIds: readonly string[]): Promise<Set<string>> {
  if (uploadIds.length === 0) return new Set();
  const { results } = await db.prepare("SELECT upload_id FROM pending WHERE upload_id IN (SELECT value FROM json_each(?))").bind(JSON.stringify(uploadIds)).all<{ upload_id: string }>();
  return new Set(results.map((row) => row.upload_id));
}

export async function pendingOf(db: D1Database, tenantId: string): Promise<{ uploads: number; oldestMs: number | null }> {
  const row = await db.prepare("SELECT count(*) AS uploads, min(received_at) AS oldest FROM pending WHERE tenant_id = ?").bind(tenantId).first<{ uploads: number; oldest: number | null }>();
  return { uploads: row?.uploads ?? 0, oldestMs: row?.oldest ?? null };
}

// Only what waits can fail: a copy of a message that comes late (the sweep makes copies, dead letters may lie for days) finds its upload stored or in quarantine
// already, and changes nothing.
export async function quarantineUpload(db: D1Database, message: UploadMessage, code: QuarantineCode, detail: string, nowMs: number): Promise<void> {
  await db.batch([
    db
      .prepare(
        `INSERT INTO quarantine (tenant_id, upload_id, kind, code, detail, body_bytes, received_at, at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM pending WHERE tenant_id = ?1 AND upload_id = ?2)
         ON CONFLICT (tenant_id, upload_id) DO UPDATE SET code = excluded.code, detail = excluded.detail, at = excluded.at, replayed_at = NULL`,
      )
      .bind(message.tenantId, message.uploadId, message.kind, code, detail.slice(0, 2_000), message.bodyBytes, message.receivedAtMs, nowMs),
    db.prepare("DELETE FROM pending WHERE tenant_id = ? AND upload_id = ?").bind(message.tenantId, message.uploadId),
  ]);
}

export type QuarantineRow = { upload_id: string; kind: UploadKind; code: QuarantineCode; detail: string; body_bytes: number; received_at: number; at: number; replayed_at: number | null };

export async function quarantinedCount(db: D1Database, tenantId: string): Promise<number> {
  const row = await db.prepare("SELECT count(*) AS uploads FROM quarantine WHERE tenant_id = ? AND replayed_at IS NULL").bind(tenantId).first<{ uploads: number }>();
  return row?.uploads ?? 0;
}

// Those that were not replayed come first: whoever replays page after page reaches the last one.
export async function quarantineOf(db: D1Database, tenantId: string): Promise<QuarantineRow[]> {
  const { results } = await db
    .prepare("SELECT upload_id, kind, code, detail, body_bytes, received_at, at, replayed_at FROM quarantine WHERE tenant_id = ? ORDER BY replayed_at IS NOT NULL, at DESC LIMIT 1000")
    .bind(tenantId)
    .all<QuarantineRow>();
  return results;
}

// Moves an upload from quarantine back to pending, in one transaction: marked as replayed but not pending, nobody would look after it. Null when the tenant has
// none such. Once stored its row stays, marked replayed.
export async function replayQuarantined(db: D1Database, tenantId: string, uploadId: string, nowMs: number): Promise<UploadMessage | null> {
  const [, marked] = await db.batch<{ kind: UploadKind; received_at: number; body_bytes: number }>([
    db
      .prepare(
        `INSERT INTO pending (tenant_id, kind, upload_id, received_at, body_bytes, queued_at)
         SELECT tenant_id, kind, upload_id, received_at, body_bytes, ? FROM quarantine WHERE tenant_id = ? AND upload_id = ? ON CONFLICT DO NOTHING`,
      )
      .bind(nowMs, tenantId, uploadId),
    db.prepare("UPDATE quarantine SET replayed_at = ? WHERE tenant_id = ? AND upload_id = ? RETURNING kind, received_at, body_bytes").bind(nowMs, tenantId, uploadId),
  ]);
  const row = marked?.results[0];
  return row === undefined ? null : { v: 1, tenantId, kind: row.kind, uploadId, receivedAtMs: row.received_at, bodyBytes: row.body_bytes };
}
