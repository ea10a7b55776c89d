// The audit log: append-only. No other statement touches its table.

export type AuditEvent = { readonly tenantId: string; readonly actor: string; readonly action: string; readonly target: string; readonly outcome: string; readonly requestId: string };

export async function recordAudit(db: D1Database, event: AuditEvent, nowMs: number): Promise<void> {
  await db
    .prepare("INSERT INTO audit (at, tenant_id, actor, action, target, outcome, request_id) VALUES (?, ?, ?, ?, ?, ?, ?)")
    .bind(nowMs, event.tenantId, event.actor, event.action, event.target, event.outcome, event.requestId)
    .run();
}

export type AuditRow = { at: number; actor: string; action: string; target: string; outcome: string; request_id: string };

export async function auditOf(db: D1Database, tenantId: string, limit: number): Promise<AuditRow[]> {
  const { results } = await db
    .prepare("SELECT at, actor, action, target, outcome, request_id FROM audit WHERE tenant_id = ? ORDER BY id DESC LIMIT ?")
    .bind(tenantId, limit)
    .all<AuditRow>();
  return results;
}
