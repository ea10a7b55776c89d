// Accepted uploads whose queue message got lost (the local queue lives in memory, and in production a message can die too) are queued again. Idempotent:
// a message that was not lost after all finds the ledger row and is acknowledged.
import { limits } from "#schema/limits.ts";
import { noteSwept, overdue, stillPending } from "../control/pending.ts";
import type { Env } from "../env.ts";

const sendBatchMax = 100; // messages a call; at under 400 bytes each far below the 256 KB of one call

// Answers how many were queued again. `ageSeconds` 0 takes all: right at the start of the embedded stack, where the queue is known to be empty.
export async function sweep(env: Env, nowMs: number, ageSeconds: number = limits.sweepAgeSeconds): Promise<number> {
  const messages = await overdue(env.CONTROL, nowMs, ageSeconds * 1000);
  for (let from = 0; from < messages.length; from += sendBatchMax) {
    const batch = messages.slice(from, from + sendBatchMax);
    await env.UPLOADS.sendBatch(batch.map((body) => ({ body, contentType: "json" as const })));
    await noteSwept(env.CONTROL, batch, nowMs);
  }
  if (messages.length > 0) console.warn(JSON.stringify({ level: "warn", what: "swept", uploads: messages.length }));
  return messages.length;
}

const listPage = 1_000;

// Bodies are the replay log and are kept for limits.bodyRetentionDays. In production a lifecycle rule of the bucket does this; the embedded stack has none.
// Uploads that still wait keep their body however old.
export async function prune(env: Env, nowMs: number): Promise<number> {
  const oldest = nowMs - limits.bodyRetentionDays * 86_400_000;
  let removed = 0;
  let cursor: string | undefined;
  do {
    const page: R2Objects = await env.BODIES.list({ prefix: "ingest/", limit: listPage, ...(cursor === undefined ? {} : { cursor }) });
    const old = page.objects.filter((object) => object.uploaded.getTime() < oldest).map((object) => object.key);
    const waiting = await stillPending(env.CONTROL, old.map((key) => key.split("/").at(-1)!));
    const gone = old.filter((key) => !waiting.has(key.split("/").at(-1)!));
    if (gone.length > 0) await env.BODIES.delete(gone);
    removed += gone.length;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return removed;
}
