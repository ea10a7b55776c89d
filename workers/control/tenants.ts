// Tenants, their people and their sign-in, over D1.
import type { Role } from "#schema/identity.ts";
import { limits, retentionDaysDefault } from "#schema/limits.ts";
import { randomBase32, sha256Hex } from "../auth/token-format.ts";

export type Tenant = { readonly id: string; readonly slug: string; readonly name: string; readonly retentionDays: number; readonly embedded: boolean };
type TenantRow = { id: string; slug: string; name: string; retention_days: number; embedded: number };

const asTenant = (row: TenantRow): Tenant => ({ id: row.id, slug: row.slug, name: row.name, retentionDays: row.retention_days, embedded: row.embedded === 1 });

export async function tenantBySlug(db: D1Database, slug: string): Promise<Tenant | null> {
  const row = await db.prepare("SELECT id, slug, name, retention_days, embedded FROM tenants WHERE slug = ?").bind(slug).first<TenantRow>();
  return row && asTenant(row);
}

export async function tenantById(db: D1Database, id: string): Promise<Tenant | null> {
  const row = await db.prepare("SELECT id, slug, name, retention_days, embedded FROM tenants WHERE id = ?").bind(id).first<TenantRow>();
  return row && asTenant(row);
}

// Creates the tenant, or answers the one that has the slug.
export async function ensureTenant(db: D1Database, slug: string, name: string, embedded: boolean, nowMs: number): Promise<Tenant> {
  if (!/^[a-z0-9][a-z0-9-]{0,38}$/.test(slug)) throw new Error(`"${slug}" is not a tenant slug: lower-case letters, digits and dashes, at most 39`);
  await db
    .prepare("INSERT INTO tenants (id, slug, name, retention_days, embedded, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (slug) DO NOTHING")
    .bind(randomBase32(16), slug, name, retentionDaysDefault, embedded ? 1 : 0, nowMs)
    .run();
  const tenant = await tenantBySlug(db, slug);
  if (tenant === null) throw new Error("the tenant that was just written is not there");
  return tenant;
}

export async function ensureMember(db: D1Database, tenantId: string, email: string, name: string, role: Role, nowMs: number): Promise<string> {
  await db.prepare("INSERT INTO users (id, email, name, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (email) DO NOTHING").bind(randomBase32(16), email, name, nowMs).run();
  const user = await db.prepare("SELECT id FROM users WHERE email = ?").bind(email).first<{ id: string }>();
  if (user === null) throw new Error("the user that was just written is not there");
  await db.prepare("INSERT INTO members (tenant_id, user_id, role, joined_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING").bind(tenantId, user.id, role, nowMs).run();
  return user.id;
}

export type MemberRow = { id: string; name: string; email: string; role: Role; joined_at: number };

export async function membersOf(db: D1Database, tenantId: string): Promise<MemberRow[]> {
  const { results } = await db
    .prepare("SELECT u.id, u.name, u.email, m.role, m.joined_at FROM members m JOIN users u ON u.id = m.user_id WHERE m.tenant_id = ? ORDER BY m.joined_at, u.id")
    .bind(tenantId)
    .all<MemberRow>();
  return results;
}

export async function tenantsOf(db: D1Database, userId: string): Promise<{ slug: string; name: string }[]> {
  const { results } = await db
    .prepare("SELECT t.slug, t.name FROM members m JOIN tenants t ON t.id = m.tenant_id WHERE m.user_id = ? ORDER BY t.name, t.slug")
    .bind(userId)
    .all<{ slug: string; name: string }>();
  return results;
}

export async function roleOf(db: D1Database, tenantId: string, userId: string): Promise<Role | null> {
  const row = await db.prepare("SELECT role FROM members WHERE tenant_id = ? AND user_id = ?").bind(tenantId, userId).first<{ role: Role }>();
  return row?.role ?? null;
}

// The one-time link of the embedded stack. The code is shown once and stored hashed.
export async function createSignInLink(db: D1Database, userId: string, tenantSlug: string, nowMs: number): Promise<string> {
  const code = randomBase32(32);
  await db
    .prepare("INSERT INTO sign_in_links (hash, user_id, tenant_slug, expires_at) VALUES (?, ?, ?, ?)")
    .bind(await sha256Hex(code), userId, tenantSlug, nowMs + limits.signInLinkMinutes * 60_000)
    .run();
  return code;
}

// Uses the link up; null when it never was, is used or too old. One statement, so two clicks at once cannot both win.
export async function redeemSignInLink(db: D1Database, code: string, nowMs: number): Promise<{ userId: string; tenantSlug: string } | null> {
  const row = await db
    .prepare("UPDATE sign_in_links SET used_at = ?1 WHERE hash = ?2 AND used_at IS NULL AND expires_at > ?1 RETURNING user_id, tenant_slug")
    .bind(nowMs, await sha256Hex(code))
    .first<{ user_id: string; tenant_slug: string }>();
  return row && { userId: row.user_id, tenantSlug: row.tenant_slug };
}

// Whether the control database answers at all: what the readiness probe asks.
export async function controlAnswers(db: D1Database): Promise<boolean> {
  return await db.prepare("SELECT 1").first().then(() => true, () => false);
}
