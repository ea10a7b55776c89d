// Waiting for what another process will do: the condition is asked again until it holds, and a bound turns "never" into a failure that shows the last value.
// The bound is for never: it is several times what a busy machine takes, since a wait ends when its condition holds.
import { setTimeout as pause } from "node:timers/promises";

export async function until<T>(what: string, read: () => Promise<T> | T, holds: (value: T) => boolean, withinMs = 120_000): Promise<T> {
  const startedAt = Date.now();
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.3, 200)) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() - startedAt > withinMs) throw new Error(`${what}: not within ${withinMs / 1000} s; at last it was ${JSON.stringify(value)}`);
    await pause(pauseMs);
  }
}
