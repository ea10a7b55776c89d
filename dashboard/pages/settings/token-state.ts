// Where a token is in its life at a given moment (ms).
import type { Token } from "#schema/api/tenant.ts";

export function tokenState(token: Pick<Token, "revokedAt" | "expiresAt">, now: number): "valid" | "revoked" | "expired" {
  if (token.revokedAt !== null) return "revoked";
  return Date.parse(token.expiresAt) <= now ? "expired" : "valid";
}
