import { expect, test } from "vitest";
import { tokenState } from "#dashboard/pages/settings/token-state.ts";

const now = Date.parse("2026-11-29T12:00:00Z");
test.each([
  [null, "2026-11-29T12:00:01Z", "valid"],
  [null, "2026-11-29T12:00:00Z", "expired"],
  ["2026-11-01T00:00:00Z", "2027-01-01T00:00:00Z", "revoked"],
] as const)("revoked %s, expires %s: %s", (revokedAt, expiresAt, state) => expect(tokenState({ revokedAt, expiresAt }, now)).toBe(state));
