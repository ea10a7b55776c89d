// Feature flags per tenant: D1 is the truth, an isolate remembers for a few seconds. A broken store or a missing row means the default, never an error.
import { type Flag, flagNames, flags } from "#schema/flags.ts";
import { limits } from "#schema/limits.ts";

export type FlagState = {
  readonly flag: Flag; readonly on: boolean; readonly reason: "default" | "tenant" | "error"; readonly title: string; readonly gates: string;
  readonly changedAt: string | null; readonly changedBy: string | null;
};
type FlagRow = { flag: string; on: number; changed_by: string; changed_at: number };

const remembered = new Map<string, { states: readonly FlagState[]; untilMs: number }>();
const rememberedMax = 10_000;

export async function flagsOf(db: D1Database, tenantId: string, nowMs: number, fresh = false): Promise<readonly FlagState[]> {
  const known = remembered.get(tenantId);
  if (!fresh && known !== undefined && known.untilMs > nowMs) return known.states;
  let rows: FlagRow[] | null = null;
  try {
    rows = (await db.prepare('SELECT flag, "on", changed_by, changed_at FROM flags WHERE tenant_id = ?').bind(tenantId).all<FlagRow>()).results;
  } catch (error) {
    console.error(JSON.stringify({ level: "error", what: "flags", internal: String(error) }));
  }
  const states = flagNames.map((flag): FlagState => {
    const { title, gates } = flags[flag];
    const row = rows?.find((one) => one.flag === flag);
    if (row) return { flag, on: row.on === 1, reason: "tenant", title, gates, changedAt: new Date(row.changed_at).toISOString(), changedBy: row.changed_by };
    return { flag, on: flags[flag].default, reason: rows === null ? "error" : "default", title, gates, changedAt: null, changedBy: null };
  });
  if (remembered.size >= rememberedMax) remembered.clear();
  if (rows !== null) remembered.set(tenantId, { states, untilMs: nowMs + limits.flagCacheSecondsMax * 1000 });
  return states;
}

export async function flagOn(db: D1Database, tenantId: string, flag: Flag, nowMs: number): Promise<boolean> {
  return (await flagsOf(db, tenantId, nowMs)).find((state) => state.flag === flag)!.on;
}

// Answers the fresh list, so that the tenant that changed a flag sees it with its next request.
export async function setFlag(db: D1Database, tenantId: string, flag: Flag, on: boolean, changedBy: string, nowMs: number): Promise<readonly FlagState[]> {
  await db
    .prepare('INSERT INTO flags (tenant_id, flag, "on", changed_by, changed_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant_id, flag) DO UPDATE SET "on" = excluded."on", changed_by = excluded.changed_by, changed_at = excluded.changed_at')
    .bind(tenantId, flag, on ? 1 : 0, changedBy, nowMs)
    .run();
  return await flagsOf(db, tenantId, nowMs, true);
}
