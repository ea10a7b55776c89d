// Which server to speak to. --data-dir names an embedded stack and wins; else LAMELLA_URL and LAMELLA_TOKEN; else LAMELLA_DATA_DIR; else a `.lamella` folder
// here or above, as git finds its own. The Python package finds it by the same rules.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CliError } from "./cli-error.ts";

export type Server = { readonly url: string; readonly tenant: string; readonly token: string };

export function findServer(dataDir: string | undefined, env: NodeJS.ProcessEnv = process.env, directory: string = process.cwd()): Server {
  if (dataDir === undefined && env.LAMELLA_URL) return fromEnvironment(env);
  const named = dataDir ?? env.LAMELLA_DATA_DIR;
  const folder = named === undefined ? searchUpwards(directory) : resolve(directory, named);
  if (folder === null) {
    throw new CliError("No server was found. Start one with `npm start`, or name its data folder with --data-dir, or set LAMELLA_URL (https://host/t/TENANT) and LAMELLA_TOKEN.", "server_not_found");
  }
  const file = join(folder, "stack.json");
  if (!existsSync(file)) throw new CliError(`No embedded stack has run with the data folder ${folder}. Start it with \`npm start -- --data-dir ${named ?? ".lamella"}\`.`, "server_not_found");
  const { url, tenant, token } = read(file);
  if (!url || !tenant || !token) throw new CliError(`${file} is not complete. Start the stack again; it writes the file anew.`, "server_not_found");
  return { url, tenant, token };
}

function read(file: string): Partial<Server> {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) ?? {}) as Partial<Server>;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}. It holds a token, so only the user who started the stack may read it.`, "server_not_found");
  }
}

function fromEnvironment(env: NodeJS.ProcessEnv): Server {
  const match = /^(https?:\/\/[^/]+)(?:\/t\/([a-z0-9-]+))?\/?$/.exec(env.LAMELLA_URL ?? "");
  const tenant = match?.[2] ?? env.LAMELLA_TENANT;
  if (match === null || !tenant) throw new CliError(`LAMELLA_URL is "${env.LAMELLA_URL}"; write https://host/t/TENANT, or set LAMELLA_TENANT beside it.`, "server_not_found");
  if (!env.LAMELLA_TOKEN) throw new CliError("LAMELLA_URL is set but LAMELLA_TOKEN is not. Create a token in the dashboard under Settings → Tokens.", "token_missing");
  return { url: match[1]!, tenant, token: env.LAMELLA_TOKEN };
}

function searchUpwards(from: string): string | null {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    const folder = join(directory, ".lamella");
    if (existsSync(join(folder, "stack.json"))) return folder;
    if (dirname(directory) === directory) return null;
  }
}
