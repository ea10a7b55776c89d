// What the file says about itself beside its events: when it was recorded and on what.
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

// Names of the devices kernels ran on, each once; of all devices in the file when the kernels' device numbers are not in its list (ROCm counts otherwise).
export function gpuNamesOf(metadata: TraceMetadata, used: ReadonlySet<number>): string[] {
  const list = metadata["deviceProperties"];
  const devices = (Array.isArray(list) ? list : []).flatMap((device) => {
    if (device === null || typeof device !== "object" || Array.isArray(device)) return [];
    const name = textOf(device["name"]).trim();
    return name === "" ? [] : [{ name, used: typeof device["id"] === "number" && used.has(device["id"]) }];
  });
  const ran = devices.filter((device) => device.used);
  return [...new Set((ran.length > 0 ? ran : devices).map((device) => device.name))];
}

function integerOf(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === "string" && /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}
