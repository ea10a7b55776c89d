// Who is calling, for which tenant, with which scopes. The only place where a TenantScope for a request is made. Order of work: shape of the credentials →
// database → the token's tenant must be the tenant of the address (else the same 404 as an unknown tenant).
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { type Role, roles, type Scope } from "#schema/identity.ts";
import { limits } from "#schema/limits.ts";
import { sessionUser } from "../control/sessions.ts";
import { roleOf, type Tenant, tenantBySlug } from "../control/tenants.ts";
import { noteTokenUse, tokenById, type TokenRow } from "../control/tokens.ts";
import type { Env } from "../env.ts";
import { ApiError, notFound } from "../problem.ts";
import { readSessionCookie } from "./session-cookie.ts";
import { equalInConstantTime, sha256Hex, tokenIdOf } from "./token-format.ts";

export type Caller = {
  readonly tenant: Tenant;
  readonly scope: TenantScope;
  readonly kind: "token" | "session";
  readonly id: string; // token id or user id: what the audit log names
  readonly name: string;
  readonly role: Role | null;
  readonly scopes: ReadonlySet<Scope>;
  readonly jobTag: string | null; // what a bound CI token may send
};

// A few seconds of memory per isolate; revocation is seen everywhere within limits.tokenCacheSecondsMax. `checkedAtMs` is never extended by a hit.
const remembered = new Map<string, { row: TokenRow; checkedAtMs: number }>();
const rememberedMax = 10_000;

export async function callerOf(request: Request, env: Env, slug: string, nowMs: number, later: (work: Promise<unknown>) => void): Promise<Caller> {
  const header = request.headers.get("authorization");
  if (header !== null) return await callerOfToken(header, request, env, slug, nowMs, later);
  const session = readSessionCookie(request);
  if (session !== null) return await callerOfSession(session, env, slug, nowMs);
  throw new ApiError("token_missing", { detail: "Send a token as `Authorization: Bearer lml_…`, or sign in with the link that `npm start` printed." });
}

async function callerOfToken(header: string, request: Request, env: Env, slug: string, nowMs: number, later: (work: Promise<unknown>) => void): Promise<Caller> {
  const text = /^Bearer +(\S+)$/i.exec(header)?.[1];
  const id = text === undefined ? null : tokenIdOf(text);
  if (text === undefined || id === null) throw await invalid(request, env, "The text is not a token: it does not have the form lml_<kind>_<id>_<secret>, or its checksum is wrong. Was it cut while copying?");
  const row = await rememberedToken(env, id, nowMs);
  if (row === null || !equalInConstantTime(row.hash, await sha256Hex(text))) throw await invalid(request, env, "No such token exists. Create one with `lamella token create`.");
  if (row.revoked_at !== null) throw await invalid(request, env, "The token was revoked. Create a new one with `lamella token create`.");
  if (row.expires_at <= nowMs) throw await invalid(request, env, `The token expired on ${new Date(row.expires_at).toISOString().slice(0, 10)}. Create a new one with \`lamella token create\`.`);
  const tenant = await tenantBySlug(env.CONTROL, slug);
  if (tenant === null || tenant.id !== row.tenant_id) throw notFound();
  if (row.last_used_at === null || row.last_used_at < nowMs - limits.tokenLastUsedSeconds * 1000) later(noteTokenUse(env.CONTROL, id, nowMs));
  return {
    tenant, scope: tenantScope(tenant.id, tenant.retentionDays), kind: "token", id, name: row.name, role: null, scopes: new Set(JSON.parse(row.scopes) as Scope[]),
    jobTag: row.job_tag,
  };
}

async function callerOfSession(session: string, env: Env, slug: string, nowMs: number): Promise<Caller> {
  const user = await sessionUser(env.CONTROL, session, nowMs);
  if (user === null) throw new ApiError("session_invalid", { detail: "Sign in again: on the embedded stack run `npm start` and open the link it prints." });
  const tenant = await tenantBySlug(env.CONTROL, slug);
  const role = tenant && (await roleOf(env.CONTROL, tenant.id, user.userId));
  if (tenant === null || role === null) throw notFound();
  return {
    tenant, scope: tenantScope(tenant.id, tenant.retentionDays), kind: "session", id: user.userId, name: user.name, role, scopes: new Set<Scope>(roles[role]),
    jobTag: null,
  };
}

async function rememberedToken(env: Env, id: string, nowMs: number): Promise<TokenRow | null> {
  const known = remembered.get(id);
  if (known !== undefined && nowMs - known.checkedAtMs < limits.tokenCacheSecondsMax * 1000) return known.row;
  const row = await tokenById(env.CONTROL, id);
  if (remembered.size >= rememberedMax) remembered.clear();
  if (row === null) remembered.delete(id);
  else remembered.set(id, { row, checkedAtMs: nowMs });
  return row;
}

async function invalid(request: Request, env: Env, detail: string): Promise<ApiError> {
  const address = request.headers.get("cf-connecting-ip") ?? "local";
  const within = await env.SIGN_IN_LIMIT?.limit({ key: address });
  if (within?.success === false) return new ApiError("rate_limited", { detail: "Too many failed sign-ins from this address.", retryAfterS: 60 });
  return new ApiError("token_invalid", { detail });
}
