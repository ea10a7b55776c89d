// A workload as a person names it: "latest", its id, or the first digits of its id.
import type { WorkloadSummary } from "#schema/api/workloads.ts";
import type { Api } from "./api.ts";
import { CliError } from "./cli-error.ts";

const since = "-90d"; // as far back as one request may ask; a whole id finds older ones too

export async function findWorkload(api: Api, wanted: string): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(wanted)) return wanted;
  if (wanted === "latest") return (await everyWorkload(api, since, (one) => one.complete))[0]?.id ?? none("There is no complete workload of the last 90 days. Import a benchmark's result with `lamella import FILE`.");
  if (!/^[0-9a-f]+$/.test(wanted)) return none(`"${wanted}" is no workload: write latest, or the first digits of an id of \`lamella workload list\`.`);
  const { workloads } = await api.call("workloads", { query: { from: since, prefix: wanted } });
  if (workloads.length === 1) return workloads[0]!.id;
  return none(workloads.length === 0 ? `No workload begins with ${wanted}; see \`lamella workload list\`.` : `${workloads.length} workloads begin with ${wanted}; write more digits.`);
}

// All of a time range, latest first; up to the first that `enough` names, when it is given.
export async function everyWorkload(api: Api, from: string, enough?: (one: WorkloadSummary) => boolean): Promise<WorkloadSummary[]> {
  const all: WorkloadSummary[] = [];
  for (let cursor: string | undefined; ; ) {
    const { workloads, next } = await api.call("workloads", { query: { from, cursor } });
    const found = enough === undefined ? undefined : workloads.find(enough);
    if (found !== undefined) return [found];
    if (enough === undefined) all.push(...workloads);
    if (next === null) return all;
    cursor = next;
  }
}

function none(message: string): never {
  throw new CliError(message, "not_found");
}
