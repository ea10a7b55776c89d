// What the file says about itself beside its events: when it was recorded and on what.
import type { ProfiledRequest } from "../execution.ts";
import type { JsonValue } from "../read/json-value.ts";
import type { TraceMetadata } from "../read/read-json.ts";
import type { TraceTables } from "./trace-tables.ts";

export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

// Unix ns of the first event. Absolute = base + ts where the file gives a base; without one, times after 2001 in microseconds are taken as Unix time;
// anything else counts from some unknown start, 0.
export function recordedAtNsOf(metadata: TraceMetadata, tables: TraceTables): bigint {
  if (!Number.isFinite(tables.firstNs)) return 0n;
  const base = integerOf(metadata["baseTimeNanoseconds"]);
  const first = BigInt(tables.originMicros) * 1000n + BigInt(tables.firstNs);
  const absolute = (base ?? 0n) + first;
  return absolute >= 1_000_000_000_000_000_000n && absolute < 2n ** 63n ? absolute : 0n;
}

// Device number → name, as far as the file has them.
export function deviceNamesOf(metadata: TraceMetadata): Map<number, string> {
  const list = metadata["deviceProperties"];
  const names = new Map<number, string>();
  for (const device of Array.isArray(list) ? list : []) {
    if (device === null || typeof device !== "object" || Array.isArray(device)) continue;
    const name = textOf(device["name"]).trim();
    if (name !== "") names.set(typeof device["id"] === "number" ? device["id"] : -1, name);
  }
  return names;
}

// Names of the devices kernels ran on, each once; of all devices in the file when the kernels' device numbers are not in its list (ROCm counts otherwise).
export function gpuNamesOf(names: ReadonlyMap<number, string>, used: readonly number[]): string[] {
  const ran = used.flatMap((device) => names.get(device) ?? []);
  return [...new Set(ran.length > 0 ? ran : names.values())];
}

// The process among those that ran together: rank -1 and world size 0 where the file does not say.
export function rankOf(metadata: TraceMetadata): { rank: number; worldSize: number } {
  const info = metadata["distributedInfo"];
  const fields = info !== null && typeof info === "object" && !Array.isArray(info) ? info : {};
  return { rank: countOf(fields["rank"], -1), worldSize: countOf(fields["world_size"], 0) };
}

export function requestOf(metadata: TraceMetadata): ProfiledRequest | null {
  const request = metadata["lamella_request"];
  if (request === null || typeof request !== "object" || Array.isArray(request)) return null;
  return { label: textOf(request["label"]), inputTokens: countOf(request["input_tokens"], 0), outputTokens: countOf(request["output_tokens"], 0), latencyNs: countOf(request["latency_ns"], 0) };
}

function countOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : otherwise;
}

function integerOf(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === "string" && /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}
