// The Worker's doors: requests, the queue and its dead letters, the clock.
import { createApp } from "./app.ts";
import { forgetEnded } from "./control/sessions.ts";
import type { Env } from "./env.ts";
import { consumeBatch } from "./ingest/consume.ts";
import { consumeDeadLetters } from "./ingest/dead-letters.ts";
import { prune, sweep } from "./ingest/sweep.ts";

const now = () => Date.now();
const app = createApp(now);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  async queue(batch, env) {
    if (batch.queue.endsWith("-dead")) await consumeDeadLetters(batch, env, now());
    else await consumeBatch(batch, env, now);
  },
  // The embedded stack calls it once as "start", when the queue is known to be empty: then everything that waits is queued, whatever its age. Then and once an
  // hour what has ended is removed; of bodies only there, elsewhere the bucket does it by itself.
  async scheduled(event, env) {
    const start = event.cron === "start";
    await sweep(env, now(), start ? 0 : undefined);
    if (!start && new Date(event.scheduledTime).getUTCMinutes() !== 0) return;
    await forgetEnded(env.CONTROL, now());
    if (env.EMBEDDED === "1") await prune(env, now());
  },
} satisfies ExportedHandler<Env, unknown>;
