// What ClickHouse's refusals mean for us. The server's own text can quote rows, so it goes to the log (`internal`) and never to a caller.

// refused: the rows themselves are wrong (a fault of our encoder: quarantine). transient: try again later. busy: as many queries run and wait as may.
// misconfigured: the data is fine, we are not: try again much later and tell somebody. heavy: the query went over its budget. quota: the tenant has spent the one
// of all its queries. cancelled: killed, or the client went away. fault: a read that can never work as we wrote it.
export type StoreErrorKind = "refused" | "transient" | "busy" | "misconfigured" | "heavy" | "quota" | "regex" | "cancelled" | "fault";

const kindByCode: ReadonlyMap<number, StoreErrorKind> = new Map<number, StoreErrorKind>([
  [27, "refused"], [62, "refused"], [117, "refused"], [6, "refused"], [53, "refused"], [69, "refused"], [70, "refused"],
  [60, "misconfigured"], [81, "misconfigured"], [16, "misconfigured"], [497, "misconfigured"], [516, "misconfigured"], [192, "misconfigured"],
  [36, "misconfigured"], [115, "misconfigured"],
  [158, "heavy"], [160, "heavy"], [241, "heavy"], [307, "heavy"], [396, "heavy"], [159, "heavy"], [191, "heavy"],
  [201, "quota"],
  [427, "regex"],
  [394, "cancelled"], [735, "cancelled"],
  [202, "busy"],
  // No answer at all, network, socket, too many parts, read-only table, no replica, keeper.
  [0, "transient"], [209, "transient"], [210, "transient"], [252, "transient"], [242, "transient"], [279, "transient"], [319, "transient"], [999, "transient"],
]);

export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  readonly code: number; // ClickHouse's code; 0: no answer at all
  constructor(kind: StoreErrorKind, code: number, internal: string) {
    super(internal);
    this.name = "StoreError";
    this.kind = kind;
    this.code = code;
  }
}

// `inserting` matters: memory (241) and time (159) on an insert mean "busy, later"; on a query they mean "too heavy".
export function storeError(code: number, text: string, inserting: boolean): StoreError {
  // An unknown code on an insert is retried: the data must not be lost to our ignorance. On a read it is our own fault.
  const kind = kindByCode.get(code) ?? (inserting ? "transient" : "fault");
  if (inserting) return new StoreError(kind === "heavy" ? "transient" : kind, code, text.slice(0, 2_000));
  return new StoreError(kind === "refused" ? "fault" : kind, code, text.slice(0, 2_000));
}
