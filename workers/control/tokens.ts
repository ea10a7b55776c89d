// Tokens over D1. The secret exists only in the answer of `createToken`.
import type { Token, TokenWanted } from "#schema/api/tenant.ts";
import type { Scope, TokenKind } from "#schema/identity.ts";
import { limits } from "#schema/limits.ts";
import { newToken, sha256Hex } from "../auth/token-format.ts";

export type TokenRow = {
  id: string; tenant_id: string; hash: string; kind: TokenKind; name: string; scopes: string; job_tag: string | null; created_by: string;
  created_at: number; expires_at: number; revoked_at: number | null; last_used_at: number | null;
};

const columns = "id, tenant_id, hash, kind, name, scopes, job_tag, created_by, created_at, expires_at, revoked_at, last_used_at";
const iso = (ms: number) => new Date(ms).toISOString();
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

export function asToken(row: TokenRow): Token {
  return {
    id: row.id, kind: row.kind, name: row.name, scopes: JSON.parse(row.scopes) as Scope[], jobTag: row.job_tag, createdAt: iso(row.created_at),
    createdBy: row.created_by, expiresAt: iso(row.expires_at), revokedAt: isoOrNull(row.revoked_at), lastUsedAt: isoOrNull(row.last_used_at),
  };
}

export async function tokenById(db: D1Database, id: string): Promise<TokenRow | null> {
  return await db.prepare(`SELECT ${columns} FROM tokens WHERE id = ?`).bind(id).first<TokenRow>();
}

// The live ones first: there are at most tokensPerTenantMax of them, so none can hide behind those that ended.
export async function tokensOf(db: D1Database, tenantId: string, nowMs: number): Promise<Token[]> {
  const { results } = await db
    .prepare(`SELECT ${columns} FROM tokens WHERE tenant_id = ?1 ORDER BY (revoked_at IS NULL AND expires_at > ?2) DESC, created_at DESC, id LIMIT ?3`)
    .bind(tenantId, nowMs, limits.tokensPerTenantMax)
    .all<TokenRow>();
  return results.map(asToken);
}

// Null when the tenant has as many live tokens as it may have.
export async function createToken(
  db: D1Database, tenantId: string, wanted: TokenWanted, createdBy: string, nowMs: number,
): Promise<{ token: Token; secret: string } | null> {
  const { id, text } = newToken(wanted.kind);
  const inserted = await db
    .prepare(
      `INSERT INTO tokens (id, tenant_id, hash, kind, name, scopes, job_tag, created_by, created_at, expires_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
       WHERE (SELECT count(*) FROM tokens WHERE tenant_id = ?2 AND revoked_at IS NULL AND expires_at > ?9) < ?11 RETURNING ${columns}`,
    )
    .bind(id, tenantId, await sha256Hex(text), wanted.kind, wanted.name, JSON.stringify([...new Set(wanted.scopes)]), wanted.jobTag ?? null, createdBy, nowMs, nowMs + wanted.days * 86_400_000, limits.tokensPerTenantMax)
    .first<TokenRow>();
  return inserted && { token: asToken(inserted), secret: text };
}

// Null when the tenant has no such token; revoking twice keeps the first time.
export async function revokeToken(db: D1Database, tenantId: string, id: string, nowMs: number): Promise<Token | null> {
  const row = await db
    .prepare(`UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? AND tenant_id = ? RETURNING ${columns}`)
    .bind(nowMs, id, tenantId)
    .first<TokenRow>();
  return row && asToken(row);
}

export async function noteTokenUse(db: D1Database, id: string, nowMs: number): Promise<void> {
  await db
    .prepare("UPDATE tokens SET last_used_at = ?1 WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < ?3)")
    .bind(nowMs, id, nowMs - limits.tokenLastUsedSeconds * 1000)
    .run();
}
