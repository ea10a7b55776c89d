// The tables of an Nsight Systems export (`nsys export --type sqlite`) that are read. Tables and columns come and go with versions, so each is asked for by
// name; what the file does not have is missing from the rows. Integers over 2^53 (global ids) are bigints.

export type NsysValue = number | bigint | string | null;
export type NsysRow = { readonly [column: string]: NsysValue | undefined };

export type NsysSource = {
  readonly tables: ReadonlySet<string>;
  rows(table: string, columns: readonly string[]): Iterable<NsysRow>;
};

export const nsysColumns = {
  StringIds: ["id", "value"],
  CUPTI_ACTIVITY_KIND_KERNEL: ["start", "end", "deviceId", "correlationId", "globalPid", "demangledName", "shortName", "graphNodeId", "streamId"],
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE: ["start", "end", "deviceId", "correlationId", "globalPid", "graphId"], // whole graphs, where the kernels in them were not traced
  CUPTI_ACTIVITY_KIND_RUNTIME: ["start", "end", "globalTid", "correlationId", "nameId"], // driver calls too
  CUPTI_ACTIVITY_KIND_MEMCPY: ["start", "end", "bytes", "copyKind"],
  CUPTI_ACTIVITY_KIND_MEMSET: ["start", "end", "bytes"],
  NVTX_EVENTS: ["start", "end", "globalTid", "text", "textId"],
  ThreadNames: ["nameId", "globalTid"],
  TARGET_INFO_GPU: ["id", "name"],
  TARGET_INFO_SESSION_START_TIME: ["utcEpochNs"],
} as const;
export type NsysTable = keyof typeof nsysColumns;

export function* rowsOf(source: NsysSource, table: NsysTable): Generator<NsysRow> {
  if (source.tables.has(table)) yield* source.rows(table, nsysColumns[table]);
}

export function numberOf(value: NsysValue | undefined): number {
  const number = typeof value === "string" ? Number.NaN : Number(value ?? Number.NaN);
  return Number.isFinite(number) ? number : 0;
}

// Process of a global thread id: all but its low 24 bits, as CUPTI's globalPid has it.
export function processOf(globalId: NsysValue | undefined): string {
  return typeof globalId === "number" || typeof globalId === "bigint" ? String(BigInt(globalId) >> 24n) : "";
}
