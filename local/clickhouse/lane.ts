// Lanes keep kinds of work from waiting for one another: a slow read occupies a slot of the read lane and nothing else. The engine runs sessions side by side, so
// a slot is a permission to open one. Invariant: slots and waiting room are bounded; beyond them a query is refused at once with ClickHouse's own code 202.
import { availableParallelism } from "node:os";
import { exception } from "./exception.ts";

export type LaneName = "read" | "ledger" | "insert" | "define" | "control";

const cores = availableParallelism();

// max_threads of a read leaves a core to the inserts and merges beside it. An answer is built in memory, hence its bound. A client may ask for other values by URL.
export const laneBounds: Record<LaneName, { slots: number; waitingMax: number; settings: Record<string, string> }> = {
  read: { slots: 4, waitingMax: 128, settings: { max_threads: String(Math.max(1, cores - 1)), max_execution_time: "60", max_result_bytes: String(1024 ** 3) } },
  // The point reads of ingest ("is this upload stored already?"): pages full of slow flamegraphs must not hold back what arrives.
  ledger: { slots: 2, waitingMax: 256, settings: { max_threads: "1", max_execution_time: "20" } },
  insert: { slots: 2, waitingMax: 256, settings: { max_threads: String(Math.max(1, cores - 1)) } },
  define: { slots: 1, waitingMax: 64, settings: {} },
  control: { slots: 2, waitingMax: 256, settings: { max_threads: "1", max_execution_time: "5" } },
};

// Threads of the pool in which the addon blocks: one for each slot, one for the KILL of each read, four for files and gzip.
export const threadPoolSize = Object.values(laneBounds).reduce((sum, { slots }) => sum + slots, 0) + laneBounds.read.slots + 4;

export interface Lane {
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createLane(name: LaneName, { slots, waitingMax } = laneBounds[name] as { slots: number; waitingMax: number }): Lane {
  let busy = 0;
  const waiting = new Set<() => void>();

  const enter = (signal?: AbortSignal) =>
    new Promise<void>((admit, refuse) => {
      if (signal?.aborted) return refuse(exception(394, "Query was cancelled before it started"));
      if (busy < slots) {
        busy += 1;
        return admit();
      }
      if (waiting.size >= waitingMax) {
        return refuse(exception(202, `Too many simultaneous queries: ${slots} run and ${waitingMax} wait in the ${name} lane. Send it again later.`));
      }
      const leaveQueue = () => {
        waiting.delete(next);
        refuse(exception(394, "Query was cancelled before it started"));
      };
      const next = () => {
        signal?.removeEventListener("abort", leaveQueue);
        admit();
      };
      waiting.add(next);
      signal?.addEventListener("abort", leaveQueue, { once: true });
    });

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        // The slot passes straight to the next in line, so that nobody can slip in between.
        const [next] = waiting;
        if (next) {
          waiting.delete(next);
          next();
        } else busy -= 1;
      }
    },
  };
}
