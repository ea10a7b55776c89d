// What a tenant owns besides its data: who is asking, flags, tokens, members, audit, quarantine.
import type { Flag } from "#schema/flags.ts";
import { flagNames } from "#schema/flags.ts";
import { scopeNames } from "#schema/identity.ts";
import { recordAudit, auditOf } from "../control/audit.ts";
import { flagsOf, setFlag } from "../control/flags.ts";
import { quarantineOf, replayQuarantined } from "../control/pending.ts";
import { membersOf, tenantsOf } from "../control/tenants.ts";
import { createToken, revokeToken, tokensOf } from "../control/tokens.ts";
import { ApiError, notFound } from "../problem.ts";
import type { AnyContext, Handler } from "../route-context.ts";
import { iso } from "../query/selection.ts";

const auditShown = 200;

export const me: Handler<"me"> = async ({ caller, env, nowMs }) => {
  const { id, slug, name, embedded } = caller.tenant;
  const states = await flagsOf(env.CONTROL, id, nowMs);
  return {
    tenant: { id, slug, name, embedded },
    who: { kind: caller.kind, name: caller.name, role: caller.role },
    scopes: scopeNames.filter((scope) => caller.scopes.has(scope)),
    flags: Object.fromEntries(states.map((state) => [state.flag, state.on])),
    // A token belongs to one tenant and must never learn of another, whoever made it.
    tenants: caller.kind === "session" ? await tenantsOf(env.CONTROL, caller.id) : [{ slug, name }],
  };
};

export const flags: Handler<"flags"> = async ({ caller, env, nowMs }) => ({ flags: [...(await flagsOf(env.CONTROL, caller.tenant.id, nowMs))] });

export const flagSet: Handler<"flagSet"> = async (context) => {
  const { caller, env, nowMs, params, body } = context;
  const flag = flagNames.find((name) => name === params.flag) as Flag | undefined;
  if (flag === undefined) throw new ApiError("not_found", { detail: `There is no flag "${params.flag.slice(0, 60)}". Flags: ${flagNames.join(", ")}.` });
  const states = await setFlag(env.CONTROL, caller.tenant.id, flag, body.on, caller.name, nowMs);
  await audit(context, body.on ? "flag_on" : "flag_off", flag);
  return { flags: [...states] };
};

export const tokens: Handler<"tokens"> = async ({ caller, env, nowMs }) => ({ tokens: await tokensOf(env.CONTROL, caller.tenant.id, nowMs) });

// A token can never hand out more than it has itself: neither a scope it lacks, nor freedom from the job tag it is bound to.
export const tokenCreate: Handler<"tokenCreate"> = async (context) => {
  const { caller, env, nowMs, body } = context;
  const beyond = caller.kind === "token" ? body.scopes.filter((scope) => !caller.scopes.has(scope)) : [];
  if (beyond.length > 0) throw new ApiError("scope_missing", { detail: `A token cannot create one with scopes it lacks itself: ${beyond.join(", ")}.` });
  if (caller.jobTag !== null && body.jobTag !== caller.jobTag) {
    throw new ApiError("scope_missing", { detail: `The token is bound to the job tag "${caller.jobTag}" and can create only tokens that are bound to it too (--job-tag).` });
  }
  const created = await createToken(env.CONTROL, caller.tenant.id, body, `${caller.kind} ${caller.name}`, nowMs);
  if (created === null) throw new ApiError("limit_exceeded", { detail: "The tenant has as many live tokens as it may have (tokensPerTenantMax). Revoke some first." });
  await audit(context, "token_create", created.token.id);
  return created;
};

export const tokenRevoke: Handler<"tokenRevoke"> = async (context) => {
  const revoked = await revokeToken(context.env.CONTROL, context.caller.tenant.id, context.params.id, context.nowMs);
  if (revoked === null) throw notFound();
  await audit(context, "token_revoke", revoked.id);
  return revoked;
};

export const members: Handler<"members"> = async ({ caller, env }) => ({
  members: (await membersOf(env.CONTROL, caller.tenant.id)).map((row) => ({ id: row.id, name: row.name, email: row.email, role: row.role, joinedAt: iso(row.joined_at) })),
});

export const audits: Handler<"audit"> = async ({ caller, env }) => ({
  events: (await auditOf(env.CONTROL, caller.tenant.id, auditShown)).map((row) => ({ at: iso(row.at), actor: row.actor, action: row.action, target: row.target, outcome: row.outcome, requestId: row.request_id })),
});

export const quarantine: Handler<"quarantine"> = async ({ caller, env }) => ({
  uploads: (await quarantineOf(env.CONTROL, caller.tenant.id)).map((row) => ({
    uploadId: row.upload_id, kind: row.kind, code: row.code, detail: row.detail, at: iso(row.at), bodyBytes: row.body_bytes,
    replayedAt: row.replayed_at === null ? null : iso(row.replayed_at),
  })),
});

export const quarantineReplay: Handler<"quarantineReplay"> = async (context) => {
  const { caller, env, nowMs, params } = context;
  const message = await replayQuarantined(env.CONTROL, caller.tenant.id, params.uploadId, nowMs);
  if (message === null) throw notFound();
  await env.UPLOADS.send(message, { contentType: "json" });
  await audit(context, "quarantine_replay", params.uploadId);
  return { uploadId: params.uploadId, queued: true };
};

async function audit(context: AnyContext, action: string, target: string): Promise<void> {
  const { caller, env, requestId, nowMs } = context;
  await recordAudit(env.CONTROL, { tenantId: caller.tenant.id, actor: `${caller.kind} ${caller.id}`, action, target, outcome: "ok", requestId }, nowMs);
}
