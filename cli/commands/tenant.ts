// status, token, flag, quarantine, values: what a tenant owns besides its data.
import type { Command } from "commander";
import { type Scope, scopeNames, scopes, tokenKinds } from "#schema/identity.ts";
import type { Api } from "../api.ts";
import { CliError } from "../cli-error.ts";
import { apiOf, collect, type Globals, outputOf } from "../globals.ts";
import { printable } from "#core/printable.ts";
import { print, table } from "../output.ts";

export function tenantCommands(program: Command, globals: () => Globals): void {
  program
    .command("status")
    .description("How far the data reaches, and what arrived")
    .addHelpText("after", "\nExample:\n  lamella status --json")
    .action(async () => {
      const status = await apiOf(globals()).call("status");
      print(outputOf(globals()), status, () =>
        [
          `lamella ${status.version}${status.embedded ? " (embedded stack)" : ""} at ${apiOf(globals()).server.url}`,
          status.ingestedThrough === null ? "nothing was ever ingested" : `data is current to ${status.ingestedThrough}`,
          `${status.uploads.stored} uploads stored${status.uploads.quarantined > 0 ? `, ${status.uploads.quarantined} in quarantine (lamella quarantine list)` : ""} · ${status.samples.toLocaleString("en-US")} samples · ${status.executions} executions · ${status.models} models`,
          ...status.lastSampleByHost.map((host) => `last sample of ${printable(host.host)}: ${host.at}`),
        ].join("\n"),
      );
    });

  const token = program.command("token").description("Create, list and revoke tokens").addHelpText("after", "\nExample:\n  lamella token create --name dashboards --scope read");
  token
    .command("create")
    .description("Create a token; it is shown once")
    .requiredOption("--name <name>", "what it is for")
    .option("--scope <scope>", `repeatable: ${scopeNames.join(", ")}`, collect)
    .option("--kind <kind>", tokenKinds.join(", "), "api")
    .option("--days <n>", "valid for so many days", "90")
    .option("--job-tag <tag>", "bind a CI token to one branch tag")
    .addHelpText("after", "\nExample:\n  lamella token create --name node-agents --kind agt --scope ingest")
    .action(async ({ scope = [], ...options }: { name: string; scope?: string[]; kind: string; days: string; jobTag?: string }) => {
      if (scope.length === 0) throw new CliError("Name at least one --scope:", "parameter_invalid", scopeNames.map((name) => `  ${name.padEnd(7)} ${scopes[name]}`).join("\n"));
      const body = { name: options.name, kind: options.kind, scopes: scope as Scope[], days: Number(options.days), ...(options.jobTag ? { jobTag: options.jobTag } : {}) };
      const created = await apiOf(globals()).call("tokenCreate", { body });
      print(outputOf(globals()), created, () => `${created.secret}\n\nThis is shown once; keep it now. Id ${created.token.id}, scopes ${created.token.scopes.join(", ")}, valid until ${created.token.expiresAt.slice(0, 10)}.`);
    });
  token
    .command("list")
    .description("Tokens, without their secrets")
    .addHelpText("after", "\nExample:\n  lamella token list")
    .action(async () => {
      const answer = await apiOf(globals()).call("tokens");
      const rows = answer.tokens.map((one) => [one.id, one.kind, printable(one.name), one.scopes.join(","), one.revokedAt ? "revoked" : Date.parse(one.expiresAt) < Date.now() ? "expired" : `until ${one.expiresAt.slice(0, 10)}`, one.lastUsedAt?.slice(0, 19).replace("T", " ") ?? "never"]);
      print(outputOf(globals()), answer, () => table(["id", "kind", "name", "scopes", "valid", "last used (UTC)"], rows));
    });
  token
    .command("revoke")
    .description("Revoke a token; it stops working everywhere within 10 s")
    .argument("<id>", "the token's id, see `lamella token list`")
    .addHelpText("after", "\nExample:\n  lamella token revoke 7kq2m5x3b4ra")
    .action(async (id: string) => {
      const revoked = await apiOf(globals()).call("tokenRevoke", { params: { id } });
      print(outputOf(globals()), revoked, () => `revoked ${revoked.id} (${printable(revoked.name)}); it stops working everywhere within 10 s`);
    });

  const flag = program.command("flag").description("Feature flags of the tenant").addHelpText("after", "\nExample:\n  lamella flag set models on");
  flag
    .command("list")
    .description("Flags and their state")
    .addHelpText("after", "\nExample:\n  lamella flag list")
    .action(async () => {
      const answer = await apiOf(globals()).call("flags");
      print(outputOf(globals()), answer, () => table(["flag", "state", "gates"], answer.flags.map((one) => [one.flag, `${one.on ? "on" : "off"}${one.reason === "default" ? " (default)" : ""}`, one.gates])));
    });
  flag
    .command("set")
    .description("Switch a flag on or off")
    .argument("<flag>")
    .argument("<on|off>")
    .addHelpText("after", "\nExample:\n  lamella flag set models on")
    .action(async (name: string, state: string) => {
      if (state !== "on" && state !== "off") throw new CliError(`"${state}" is neither on nor off.`, "parameter_invalid");
      const answer = await apiOf(globals()).call("flagSet", { params: { flag: name }, body: { on: state === "on" } });
      print(outputOf(globals()), answer, () => `${name} is ${state}`);
    });

  const quarantine = program.command("quarantine").description("Uploads that could not be stored, and why").addHelpText("after", "\nExample:\n  lamella quarantine list");
  quarantine
    .command("list")
    .description("What is in quarantine")
    .addHelpText("after", "\nExample:\n  lamella quarantine list")
    .action(async () => {
      const answer = await apiOf(globals()).call("quarantine");
      const rows = answer.uploads.map((one) => [one.uploadId.slice(0, 16), one.kind, one.code, one.at.slice(0, 19).replace("T", " "), one.replayedAt ? "replayed" : "", printable(one.detail)]);
      print(outputOf(globals()), answer, () => (rows.length === 0 ? "Nothing is in quarantine." : table(["upload", "kind", "code", "at (UTC)", "", "why"], rows)));
    });
  quarantine
    .command("replay")
    .description("Queue an upload again, for example after a fix")
    .argument("<upload>", "its id (8 digits are enough), or all")
    .addHelpText("after", "\nExample:\n  lamella quarantine replay all")
    .action(async (wanted: string) => {
      const api = apiOf(globals());
      const replayed = wanted === "all" ? await replayAll(api) : [await replay(api, await quarantinedByPrefix(api, wanted))];
      if (replayed.length === 0) throw new CliError("Nothing is in quarantine.", "not_found");
      print(outputOf(globals()), replayed, () => `queued ${replayed.length} ${replayed.length === 1 ? "upload" : "uploads"} again`);
    });

  program
    .command("values")
    .description("Values of a filter field with their sample counts")
    .argument("<field>", "e.g. host.name")
    .option("--prefix <text>", "only values that begin with this")
    .addHelpText("after", "\nExample:\n  lamella values host.name")
    .action(async (field: string, { prefix }: { prefix?: string }) => {
      const answer = await apiOf(globals()).call("fieldValues", { query: { field, prefix } });
      print(outputOf(globals()), answer, () => (answer.values.length === 0 ? `No values of ${field} in the last 7 days.` : table([field, "samples"], answer.values.map((one) => [printable(one.value), one.samples.toLocaleString("en-US")]), [1])));
    });
}

const replay = (api: Api, uploadId: string) => api.call("quarantineReplay", { params: { uploadId } });

async function quarantinedByPrefix(api: Api, prefix: string): Promise<string> {
  const found = (await api.call("quarantine")).uploads.filter((one) => one.uploadId.startsWith(prefix));
  if (found.length === 1) return found[0]!.uploadId;
  throw new CliError(found.length === 0 ? `No quarantined upload begins with ${prefix}; see \`lamella quarantine list\`.` : `${found.length} uploads begin with ${prefix}; write more digits.`, "not_found");
}

// The list is bounded and shows first what was not replayed, so it is asked again until it has nothing new. What comes back to quarantine meanwhile is not tried twice.
async function replayAll(api: Api): Promise<Awaited<ReturnType<typeof replay>>[]> {
  const replayed = new Map<string, Awaited<ReturnType<typeof replay>>>();
  for (;;) {
    const { uploads } = await api.call("quarantine");
    const fresh = uploads.filter((one) => one.replayedAt === null && !replayed.has(one.uploadId));
    if (fresh.length === 0) return [...replayed.values()];
    for (const one of fresh) replayed.set(one.uploadId, await replay(api, one.uploadId));
  }
}
