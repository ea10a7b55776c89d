// What the queue gave up on. The body is still in R2 and the upload is still known: it goes to quarantine, where `lamella quarantine replay` finds it.
import { limits } from "#schema/limits.ts";
import { uploadMessage } from "#schema/upload-message.ts";
import { quarantineUpload } from "../control/pending.ts";
import type { Env } from "../env.ts";

export async function consumeDeadLetters(batch: MessageBatch<unknown>, env: Env, nowMs: number): Promise<void> {
  for (const message of batch.messages) {
    const parsed = uploadMessage.safeParse(message.body);
    if (!parsed.success) {
      console.error(JSON.stringify({ level: "error", what: "dead letter not understood", body: JSON.stringify(message.body).slice(0, 400) }));
      message.ack();
      continue;
    }
    try {
      await quarantineUpload(env.CONTROL, parsed.data, "retries_exhausted", `not stored after ${limits.queueRetriesMax} tries; replay it once the store is well`, nowMs);
      message.ack();
    } catch (error) {
      console.error(JSON.stringify({ level: "error", what: "dead letter not noted", uploadId: parsed.data.uploadId, internal: String(error) }));
      message.retry({ delaySeconds: limits.retryDelaySecondsMax });
    }
  }
}
