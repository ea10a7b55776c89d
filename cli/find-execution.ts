// An execution as a person names it: "latest", its id, or the first digits of its id.
import type { ExecutionSummary } from "#schema/api/executions.ts";
import type { Api } from "./api.ts";
import { CliError } from "./cli-error.ts";

const since = "-90d"; // as far back as one request may ask; a whole id finds older ones too

export async function findExecution(api: Api, wanted: string): Promise<ExecutionSummary> {
  if (wanted === "latest") return await latestExecution(api);
  return await api.call("execution", { params: { id: wanted.length === 64 ? wanted : await executionByPrefix(api, wanted) } });
}

// What the API takes for `--execution`: "latest", "live" and whole ids are itself.
export async function wholeExecutionId(api: Api, wanted: string | undefined): Promise<string | undefined> {
  return wanted !== undefined && /^[0-9a-f]{6,63}$/.test(wanted) ? await executionByPrefix(api, wanted) : wanted;
}

async function executionByPrefix(api: Api, prefix: string): Promise<string> {
  const { executions: found } = await api.call("executions", { query: { from: since, prefix } });
  if (found.length === 1) return found[0]!.id;
  throw new CliError(found.length === 0 ? `No execution begins with ${prefix}; see \`lamella executions\`.` : `${found.length} executions begin with ${prefix}; write more digits.`, "not_found");
}

async function latestExecution(api: Api): Promise<ExecutionSummary> {
  for (let cursor: string | undefined; ; ) {
    const { executions, next } = await api.call("executions", { query: { from: since, cursor } });
    const complete = executions.find((one) => one.complete);
    if (complete !== undefined) return complete;
    if (next === null) throw new CliError("There is no complete execution of the last 90 days. Import a trace with `lamella import FILE`.", "not_found");
    cursor = next;
  }
}
