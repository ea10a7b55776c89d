// What a tenant owns besides its data: tokens, flags, members, audit, quarantine, status.
import { z } from "zod";
import { flagNames } from "../flags.ts";
import { roles, scopeNames, tokenKinds, type Role } from "../identity.ts";
import { limits } from "../limits.ts";
import { uploadKinds } from "../upload-message.ts";

const roleNames = Object.keys(roles) as [Role, ...Role[]];

export const me = z.object({
  tenant: z.object({ id: z.string(), slug: z.string(), name: z.string(), embedded: z.boolean() }),
  who: z.object({ kind: z.enum(["token", "session"]), name: z.string(), role: z.enum(roleNames).nullable() }),
  scopes: z.array(z.enum(scopeNames)),
  flags: z.partialRecord(z.enum(flagNames), z.boolean()),
  tenants: z.array(z.object({ slug: z.string(), name: z.string() })).describe("a session: the tenants its person is a member of, by name; a token: its own tenant alone"),
});
export type Me = z.infer<typeof me>;

export const token = z.object({
  id: z.string(),
  kind: z.enum(tokenKinds),
  name: z.string(),
  scopes: z.array(z.enum(scopeNames)),
  jobTag: z.string().nullable().describe("a CI token bound to one branch tag"),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  expiresAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type Token = z.infer<typeof token>;
export const tokensList = z.object({ tokens: z.array(token) });

export const tokenCreate = z.strictObject({
  name: z.string().min(1).max(100),
  kind: z.enum(tokenKinds).default("api"),
  scopes: z.array(z.enum(scopeNames)).min(1),
  days: z.int().min(1).max(limits.tokenDaysMax).default(limits.tokenDaysDefault),
  jobTag: z.string().min(1).max(limits.labelBytesMax).optional(),
});
export type TokenCreate = z.input<typeof tokenCreate>;
export type TokenWanted = z.output<typeof tokenCreate>;
export const tokenCreated = z.object({ token, secret: z.string().describe("the whole token; shown this once, stored only as a hash") });
export type TokenCreated = z.infer<typeof tokenCreated>;

export const flagState = z.object({
  flag: z.enum(flagNames),
  on: z.boolean(),
  reason: z.enum(["default", "tenant", "error"]),
  title: z.string(),
  gates: z.string(),
  changedAt: z.iso.datetime().nullable(),
  changedBy: z.string().nullable(),
});
export const flagsList = z.object({ flags: z.array(flagState) });
export type FlagsList = z.infer<typeof flagsList>;
export const flagChange = z.strictObject({ on: z.boolean() });

export const member = z.object({ id: z.string(), name: z.string(), email: z.string(), role: z.enum(roleNames), joinedAt: z.iso.datetime() });
export const membersList = z.object({ members: z.array(member) });
export type MembersList = z.infer<typeof membersList>;

export const auditEvent = z.object({ at: z.iso.datetime(), actor: z.string(), action: z.string(), target: z.string(), outcome: z.string(), requestId: z.string() });
export const auditList = z.object({ events: z.array(auditEvent) });
export type AuditList = z.infer<typeof auditList>;

export const quarantined = z.object({
  uploadId: z.string(),
  kind: z.enum(uploadKinds),
  code: z.string(),
  detail: z.string(),
  at: z.iso.datetime(),
  bodyBytes: z.int(),
  replayedAt: z.iso.datetime().nullable(),
});
export const quarantineList = z.object({ uploads: z.array(quarantined) });
export type QuarantineList = z.infer<typeof quarantineList>;
export const replayed = z.object({ uploadId: z.string(), queued: z.boolean() });

export const uploadAccepted = z.object({ uploadId: z.string().describe("sha256(tenant ‖ kind ‖ body); the same body again has the same id") });
export type UploadAccepted = z.infer<typeof uploadAccepted>;

export const status = z.object({
  version: z.string(),
  embedded: z.boolean(),
  ingestedThrough: z.iso.datetime().nullable(),
  uploads: z.object({ stored: z.int(), quarantined: z.int(), lastStoredAt: z.iso.datetime().nullable() }),
  samples: z.int(),
  executions: z.int(),
  models: z.int(),
  lastSampleByHost: z.array(z.object({ host: z.string(), at: z.iso.datetime() })),
});
export type Status = z.infer<typeof status>;

export const fieldValues = z.object({ field: z.string(), values: z.array(z.object({ value: z.string(), samples: z.int() })) });
export type FieldValues = z.infer<typeof fieldValues>;
