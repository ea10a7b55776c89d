// Browser sessions over D1: an opaque random id in a cookie, stored hashed, short, revocable.
import { limits } from "#schema/limits.ts";
import { randomBase32, sha256Hex } from "../auth/token-format.ts";

export async function createSession(db: D1Database, userId: string, nowMs: number): Promise<string> {
  const id = randomBase32(52);
  await db
    .prepare("INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)")
    .bind(await sha256Hex(id), userId, nowMs, nowMs + limits.sessionMinutes * 60_000)
    .run();
  return id;
}

export async function sessionUser(db: D1Database, id: string, nowMs: number): Promise<{ userId: string; name: string } | null> {
  const row = await db
    .prepare("SELECT s.user_id, u.name FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.hash = ? AND s.revoked_at IS NULL AND s.expires_at > ?")
    .bind(await sha256Hex(id), nowMs)
    .first<{ user_id: string; name: string }>();
  return row && { userId: row.user_id, name: row.name };
}

export async function revokeSession(db: D1Database, id: string, nowMs: number): Promise<void> {
  await db.prepare("UPDATE sessions SET revoked_at = ? WHERE hash = ? AND revoked_at IS NULL").bind(nowMs, await sha256Hex(id)).run();
}

// Sessions and one-time links past their time: nobody can use or ask for them any more.
export async function forgetEnded(db: D1Database, nowMs: number): Promise<void> {
  await db.batch(["DELETE FROM sessions WHERE expires_at <= ?", "DELETE FROM sign_in_links WHERE expires_at <= ?"].map((sql) => db.prepare(sql).bind(nowMs)));
}
