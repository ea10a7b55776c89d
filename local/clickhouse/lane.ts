// Lanes keep kinds of work from waiting for one another: a slow read occupies a slot of the read lane and nothing else. The engine runs sessions side by side, so
// a slot is a permission to open one. In the read lane tenants take turns: whoever waits with a hundred flamegraphs delays another tenant's one by a single turn. What
// is written comes from one consumer, in its own order.
// Invariants: slots and waiting room are bounded, for each tenant and for all; beyond them a query is refused at once with ClickHouse's own code 202. A slot stays
// free only while everybody who waits holds as many as a tenant may.
import { availableParallelism } from "node:os";
import { exception } from "./exception.ts";

export type LaneName = "read" | "ledger" | "insert" | "define" | "control";

// Slots, and queries that wait for one.
type Room = { readonly slots: number; readonly waitingMax: number };
export type LaneBounds = Room & { readonly perTenant: Room };

const cores = availableParallelism();
const anyTenant = (room: Room): LaneBounds => ({ ...room, perTenant: room });

// max_threads of a read leaves a core to the inserts and merges beside it. An answer is built in memory, hence its bound. A client may ask for other values by URL.
export const laneBounds: Record<LaneName, LaneBounds & { readonly settings: Readonly<Record<string, string>> }> = {
  // One tenant leaves a slot and three quarters of the waiting room to the others. What it may have in memory is its slots × queryMemoryBytesMax, 12 GB; of all
  // reads together 16 GB, which is more than many machines have, so the engine's own bound stands above it (access-config.ts).
  read: {
    slots: 4, waitingMax: 256, perTenant: { slots: 3, waitingMax: 64 },
    settings: { max_threads: String(Math.max(1, cores - 1)), max_execution_time: "60", max_result_bytes: String(1024 ** 3) },
  },
  // The point reads of ingest ("is this upload stored already?"): pages full of slow flamegraphs must not hold back what arrives.
  ledger: { ...anyTenant({ slots: 2, waitingMax: 256 }), settings: { max_threads: "1", max_execution_time: "20" } },
  insert: { ...anyTenant({ slots: 2, waitingMax: 256 }), settings: { max_threads: String(Math.max(1, cores - 1)) } },
  define: { ...anyTenant({ slots: 1, waitingMax: 64 }), settings: {} },
  control: { ...anyTenant({ slots: 2, waitingMax: 256 }), settings: { max_threads: "1", max_execution_time: "5" } },
};

// Threads of the pool in which the addon blocks: one for each slot, one for the KILL of each read, four for files and gzip.
export const threadPoolSize = Object.values(laneBounds).reduce((sum, { slots }) => sum + slots, 0) + laneBounds.read.slots + 4;

export interface Lane {
  // `tenant`: the quota key of the query; those without one are a tenant of their own.
  run<T>(tenant: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

type Tenant = { busy: number; readonly waiting: Set<() => void> };

export function createLane(name: LaneName, { slots, waitingMax, perTenant }: LaneBounds = laneBounds[name]): Lane {
  const tenants = new Map<string, Tenant>(); // those that run or wait, in the order of their turns
  let busy = 0;
  let waiting = 0;

  const take = (tenant: Tenant) => {
    tenant.busy += 1;
    busy += 1;
  };
  const forgetIdle = (key: string, tenant: Tenant) => tenant.busy === 0 && tenant.waiting.size === 0 && tenants.delete(key);

  const full = (room: Room, whose: string) =>
    exception(202, `Too many simultaneous queries${whose}: ${room.slots} run and ${room.waitingMax} wait in the ${name} lane. Send it again later.`);

  const enter = (key: string, signal?: AbortSignal) =>
    new Promise<void>((admit, refuse) => {
      if (signal?.aborted) return refuse(exception(394, "Query was cancelled before it started"));
      const tenant = tenants.get(key) ?? { busy: 0, waiting: new Set() };
      if (busy < slots && tenant.busy < perTenant.slots) {
        tenants.set(key, tenant);
        take(tenant);
        return admit();
      }
      if (waiting >= waitingMax) return refuse(full({ slots, waitingMax }, ""));
      if (tenant.waiting.size >= perTenant.waitingMax) return refuse(full(perTenant, " of one tenant"));
      const leaveQueue = () => {
        tenant.waiting.delete(next);
        waiting -= 1;
        forgetIdle(key, tenant);
        refuse(exception(394, "Query was cancelled before it started"));
      };
      const next = () => {
        signal?.removeEventListener("abort", leaveQueue);
        admit();
      };
      tenants.set(key, tenant);
      tenant.waiting.add(next);
      waiting += 1;
      signal?.addEventListener("abort", leaveQueue, { once: true });
    });

  // The slot passes straight to the next in turn, so that nobody can slip in between. One place came free, so at most one can follow.
  const leave = (key: string) => {
    const left = tenants.get(key) as Tenant;
    left.busy -= 1;
    busy -= 1;
    forgetIdle(key, left);
    for (const [nextKey, tenant] of tenants) {
      const [next] = tenant.waiting;
      if (next === undefined || tenant.busy >= perTenant.slots) continue;
      tenant.waiting.delete(next);
      waiting -= 1;
      take(tenant);
      tenants.delete(nextKey); // and to the end of the turns
      tenants.set(nextKey, tenant);
      return next();
    }
  };

  return {
    async run(tenant, work, signal) {
      await enter(tenant, signal);
      try {
        return await work();
      } finally {
        leave(tenant);
      }
    },
  };
}
