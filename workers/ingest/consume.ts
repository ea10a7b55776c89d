// The queue's door: pointer → body → rows → store → ack. Delivery is at least once and unordered, so every step can be repeated. Large messages one at a
// time: an isolate has 128 MB. Nothing thrown leaves this file, else the runtime would retry the whole batch.
import { type Store, openStore } from "#clickhouse/client.ts";
import { StoreError } from "#clickhouse/store-error.ts";
import { storedUploads } from "#clickhouse/uploads.ts";
import { limits } from "#schema/limits.ts";
import { uploadMessage, type UploadMessage } from "#schema/upload-message.ts";
import { scopeOfMessage } from "../auth/scope-of-message.ts";
import { clearPending, noteStored, quarantineUpload } from "../control/pending.ts";
import { type Env, storeConfig } from "../env.ts";
import { inflate, InflateError } from "./body.ts";
import { decodeUpload } from "./decode-upload.ts";
import { Poison } from "./poison.ts";
import { storeUpload } from "./store-upload.ts";
import { bodyKey } from "./upload-id.ts";

export async function consumeBatch(batch: MessageBatch<unknown>, env: Env, now: () => number): Promise<void> {
  const store = openStore(storeConfig(env));
  for (const group of together(batch.messages)) await Promise.all(group.map((message) => consumeMessage(message, store, env, now)));
}

// Small uploads side by side, a large one alone: what is decoded at one time must fit the isolate.
function* together(messages: readonly Message<unknown>[]): Generator<Message<unknown>[]> {
  let group: Message<unknown>[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = (message.body as Partial<UploadMessage> | null)?.inflatedBytes ?? Infinity;
    if (group.length > 0 && (group.length >= limits.consumedAtOnceMax || bytes + size > limits.consumedAtOnceBytesMax)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(message);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

async function consumeMessage(message: Message<unknown>, store: Store, env: Env, now: () => number): Promise<void> {
  const parsed = uploadMessage.safeParse(message.body);
  if (!parsed.success) {
    // An older consumer must not poison a newer message during a deploy: it comes back until the new version takes it, or ends in the dead letters.
    log("warn", "message not understood", { detail: parsed.error.message });
    message.retry({ delaySeconds: limits.retryDelaySecondsMax });
    return;
  }
  const upload = parsed.data;
  try {
    await consumeUpload(upload, store, env, now);
    message.ack();
  } catch (error) {
    await settleFailure(error, message, upload, env, now);
  }
}

export async function consumeUpload(upload: UploadMessage, store: Store, env: Env, now: () => number): Promise<void> {
  const scope = await scopeOfMessage(env.CONTROL, upload);
  if (scope === null) return await clearPending(env.CONTROL, upload.tenantId, upload.uploadId);
  const ledger = storedUploads([upload.uploadId]);
  const known = await store.select(scope, ledger, ledger.row, { label: "ingest: ledger", queryId: crypto.randomUUID() });
  if (known.length === 0) {
    const body = await env.BODIES.get(bodyKey(upload.tenantId, upload.kind, upload.uploadId));
    if (body === null) throw new Poison("body_missing", "the body was not in the body store when the upload was to be stored");
    let bytes: Uint8Array;
    try {
      bytes = await inflate(new Uint8Array(await body.arrayBuffer()));
    } catch (error) {
      if (error instanceof InflateError) throw new Poison(error.code, error.message);
      throw error;
    }
    const decoded = decodeUpload(upload.kind, bytes, Math.floor(upload.receivedAtMs / 1000));
    if (!decoded.ok) throw new Poison(decoded.error.code, decoded.error.detail);
    await storeUpload(store, scope, upload, decoded.value, now());
  }
  await noteStored(env.CONTROL, upload.tenantId, upload.uploadId, now());
}

async function settleFailure(error: unknown, message: Message<unknown>, upload: UploadMessage, env: Env, now: () => number): Promise<void> {
  const poison = error instanceof Poison ? error : error instanceof StoreError && error.kind === "refused" ? new Poison("store_refused", `the store refused a row (ClickHouse code ${error.code})`) : null;
  const facts = { tenantId: upload.tenantId, kind: upload.kind, uploadId: upload.uploadId, attempts: message.attempts, internal: error instanceof Error ? error.message : String(error) };
  if (poison !== null) {
    try {
      await quarantineUpload(env.CONTROL, upload, poison.code, poison.message, now());
      log("error", `quarantined: ${poison.code}`, facts);
      message.ack();
      return;
    } catch (failure) {
      log("error", "quarantine failed", { ...facts, internal: String(failure) });
    }
  }
  const misconfigured = error instanceof StoreError && error.kind === "misconfigured";
  log(misconfigured ? "error" : "warn", misconfigured ? "the store is misconfigured: run npm run migrate and check the users" : "not stored yet, will be retried", facts);
  message.retry({ delaySeconds: misconfigured ? limits.retryDelaySecondsMax : retryDelay(message.attempts) });
}

// 5, 10, 20 … 300 s, with a jitter of up to a fifth so that a recovered store is not hit by all at once.
export function retryDelay(attempts: number): number {
  const delay = Math.min(5 * 2 ** Math.min(attempts - 1, 10), limits.retryDelaySecondsMax);
  return Math.round(delay * (1 - Math.random() / 5));
}

function log(level: "warn" | "error", what: string, facts: object): void {
  console[level](JSON.stringify({ level, what, ...facts }));
}
