// A moment as a distance to now; the exact one on hover. All moments on a page age together, twice a minute.
import { useSyncExternalStore } from "react";
import { formatDistance, formatExactMoment } from "./moment-format.ts";

let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 30_000);

export function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
}

export function Moment({ iso }: { readonly iso: string }) {
  const at = Date.parse(iso);
  const now = useNow();
  // The shared clock may be half a minute old: what has just happened is not in the future.
  return (
    <time dateTime={iso} title={formatExactMoment(at)}>
      {formatDistance(at, at - now < 60_000 ? Math.max(now, at) : now)}
    </time>
  );
}
