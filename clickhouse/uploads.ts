// The ledger: one row per stored upload, written last. It answers "was this stored already", "which of these are missing" and "how far does the data reach".
import { z } from "zod";
import type { Query } from "./client.ts";

const uploadIdRow = z.object({ upload_id: z.string() });

// Rows: the ids among `uploadIds` that the ledger has.
export function storedUploads(uploadIds: readonly string[]): Query & { row: typeof uploadIdRow } {
  return {
    sql: "SELECT DISTINCT upload_id FROM uploads WHERE tenant_id = {tenant:String} AND upload_id IN {ids:Array(String)}",
    params: { ids: uploadIds },
    row: uploadIdRow,
  };
}

const partRow = z.object({ part: z.number(), parts: z.number() });

// The parts of an execution that are stored. The same file imported again before it was complete is filed at another time, so its parts are other bytes with other
// upload ids, and the part is all that tells that they are the same samples.
export function storedParts(executionId: string): Query & { row: typeof partRow } {
  return {
    sql: "SELECT DISTINCT part, parts FROM uploads WHERE tenant_id = {tenant:String} AND kind = 'samples' AND execution_id = {execution:String}",
    params: { execution: executionId },
    row: partRow,
  };
}

const extentRow = z.object({ through_ms: z.coerce.number() });

// One row: when the newest stored upload was received (Unix ms; 0 = nothing was ever stored).
export function ingestedThrough(): Query & { row: typeof extentRow } {
  return {
    sql: "SELECT toUnixTimestamp64Milli(max(received_at)) AS through_ms FROM uploads WHERE tenant_id = {tenant:String}",
    params: {},
    row: extentRow,
  };
}
