// An execution that a page shows, with its record.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";

export type OpenExecution = { readonly execution: ExecutionSummary; readonly record: ExecutionRecord };
